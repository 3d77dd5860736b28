"""Clients of TLS without ALPN, and with that the AWS command line: `python -m no_alpn s3 ls`.

urllib3 sets the protocols of ALPN for each connection, on a context that the connections of all
threads share, and CPython copies them without its lock. So one of many connections that begin at
once may send bytes that are freed already. The proxy's OpenSSL refuses those (BAD_EXTENSION), and
asyncio closes the connection without a word. The server has HTTP/1.1 alone: ALPN is not needed.
"""

import ssl

ssl.SSLContext.set_alpn_protocols = lambda *_: None

if __name__ == "__main__":
    from awscli.clidriver import main

    raise SystemExit(main())
