//! Header fields through both tables of HPACK: those of h2, and the examples of RFC 7541.

use hashlane_http2::frame::kind;
use http::{HeaderMap, HeaderName, HeaderValue};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::client::{Setup, call};
use crate::frames::{LAST, frame, opening, play};

/// Some names come again, in the static table or not.
fn field() -> impl Strategy<Value = (HeaderName, HeaderValue)> {
    let names = "user-agent|cookie|accept-encoding|grpc-timeout|x-[a-c]|[0-9a-z_-]{20,60}";
    let byte = prop_oneof![b' '..127, 128..=255_u8];
    let value = prop_oneof![
        select(vec!["", "gzip, deflate", "1S"]).prop_map(|value| value.as_bytes().to_vec()),
        vec(byte, 0..100),
    ];
    (names, value).prop_map(|(name, value)| (name.parse().unwrap(), value.try_into().unwrap()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn all_fields_of_h2_come_back(
        calls in vec(vec(field(), 1..15), 1..12),
        table_bytes in select(vec![0, 100, 4096, 65_536]),
    ) {
        let mut setup = Setup::new([65_535; 2], [65_535; 2]);
        setup.client.header_table_size(table_bytes);
        let (result, ended, _) = setup.run(async |client| {
            for fields in calls {
                let mut headers = HeaderMap::new();
                for (name, value) in fields {
                    headers.append(name, value);
                }
                call(&client, "/", &headers, "body".into()).await?;
            }
            Ok(())
        });
        result.and(ended).unwrap();
    }
}

/// No request has the fields of responses, but the table must take them: later blocks name them.
#[test]
fn the_table_that_responses_of_appendix_c_leave() {
    // Appendix C.5, and C.6 with Huffman coding. The table has 256 bytes.
    let plain: [&[u8]; 3] = [
        b"\x3f\xe1\x01\x48\x03302\x58\x07private\x61\x1dMon, 21 Oct 2013 20:13:21 GMT\
          \x6e\x17https://www.example.com",
        b"\x48\x03307\xc1\xc0\xbf",
        b"\x88\xc1\x61\x1dMon, 21 Oct 2013 20:13:22 GMT\xc0\x5a\x04gzip\
          \x77\x38foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
    ];
    let coded: [&[u8]; 3] = [
        b"\x3f\xe1\x01\x48\x82\x64\x02\x58\x85\xae\xc3\x77\x1a\x4b\x61\x96\xd0\x7a\xbe\x94\x10\x54\
          \xd4\x44\xa8\x20\x05\x95\x04\x0b\x81\x66\xe0\x82\xa6\x2d\x1b\xff\x6e\x91\x9d\x29\xad\x17\
          \x18\x63\xc7\x8f\x0b\x97\xc8\xe9\xae\x82\xae\x43\xd3",
        b"\x48\x83\x64\x0e\xff\xc1\xc0\xbf",
        b"\x88\xc1\x61\x96\xd0\x7a\xbe\x94\x10\x54\xd4\x44\xa8\x20\x05\x95\x04\x0b\x81\x66\xe0\x84\
          \xa6\x2d\x1b\xff\xc0\x5a\x83\x9b\xd9\xab\x77\xad\x94\xe7\x82\x1d\xd7\xf2\xe6\xc7\xb3\x35\
          \xdf\xdf\xcd\x5b\x39\x60\xd5\xaf\x27\x08\x7f\x36\x72\xc1\xab\x27\x0f\xb5\x29\x1f\x95\x87\
          \x31\x60\x65\xc0\x03\xed\x4e\xe5\xb1\x06\x3d\x50\x07",
    ];
    let table = "{\"set-cookie\": \"foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1\", \
        \"content-encoding\": \"gzip\", \"date\": \"Mon, 21 Oct 2013 20:13:22 GMT\"}";
    // A request with all three fields of the table, and one with a fourth, which is gone.
    let requests: [&[u8]; 2] = [b"\x82\x86\x84\xbe\xbf\xc0", b"\x82\x86\x84\xc1"];
    for responses in [plain, coded] {
        let mut sent = opening();
        for (number, block) in (0..).zip(responses.into_iter().chain(requests)) {
            sent.extend(frame(kind::HEADERS, LAST, 2 * number + 1, block));
        }
        let echo = play(&sent, [usize::MAX]);
        let [.., request, error] = &echo.events().collect::<Vec<_>>()[..] else {
            panic!("{:?}", echo.told);
        };
        assert!(
            request.contains(table) && request.contains("stream: 7"),
            "{request}"
        );
        assert_eq!(*error, "COMPRESSION_ERROR");
    }
}
