//! Refuses signatures that s3s accepts and S3 does not.
//!
//! s3s 0.14 takes version 2 of the signature, and does not check its date. Of version 4 it verifies
//! the headers that the client names as signed, and then honours all headers: whoever has a signed
//! URL could add `x-amz-copy-source` and copy any object.

use http::header::AUTHORIZATION;
use http::{HeaderMap, Uri};
use s3s::{S3Result, s3_error};

use crate::requests::{PREFIXES, parameters};

const VERSION_4: &str = "AWS4-HMAC-SHA256";
/// Query parameters of version 2.
const VERSION_2_PARAMETERS: [&str; 2] = ["AWSAccessKeyId", "Signature"];
/// A signed URL does not cover the body, so clients may add the SHA-256 of the body to it. s3s
/// compares the body with it.
const OF_BODY: &str = "x-amz-content-sha256";

/// Checks the form of the signature. s3s verifies it afterwards, and refuses requests without one.
pub fn check(uri: &Uri, headers: &HeaderMap) -> S3Result<()> {
    let mut is_url = false;
    let mut of_url = Vec::new();
    for (name, value) in parameters(uri) {
        if VERSION_2_PARAMETERS.contains(&name.as_str()) {
            return Err(unsupported());
        }
        is_url |= name == "X-Amz-Signature";
        if name == "X-Amz-SignedHeaders" {
            of_url.push(value);
        }
    }
    let of_header: Vec<_> = headers.get_all(AUTHORIZATION).iter().collect();
    match (is_url, &of_header[..]) {
        (false, []) => Ok(()),
        (false, [value]) => {
            let value = value.to_str().map_err(|_| malformed())?;
            check_signed(headers, signed_headers(value)?, false)
        }
        // s3s refuses a URL without its list of headers, or with two.
        (true, []) => check_signed(headers, of_url.first().map_or("", String::as_str), true),
        _ => Err(s3_error!(
            InvalidArgument,
            "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature \
             query string parameter or the Authorization header should be specified"
        )),
    }
}

/// The list of signed headers in `AWS4-HMAC-SHA256 Credential=…, SignedHeaders=a;b, Signature=…`.
fn signed_headers(authorization: &str) -> S3Result<&str> {
    let fields = authorization.strip_prefix(VERSION_4);
    let fields = fields.filter(|fields| fields.starts_with(|c: char| c.is_ascii_whitespace()));
    let mut fields = fields.ok_or_else(unsupported)?.split(',');
    // s3s allows no other order.
    let signed = fields.nth(1).map(str::trim_start);
    let signed = signed.and_then(|field| field.strip_prefix("SignedHeaders="));
    signed.ok_or_else(malformed)
}

/// Refuses headers of S3 that the signature does not cover.
fn check_signed(headers: &HeaderMap, signed: &str, is_url: bool) -> S3Result<()> {
    let is_covered = |name: &str| {
        signed.split(';').any(|signed| signed == name)
            || !PREFIXES.iter().any(|prefix| name.starts_with(prefix))
            || (is_url && name == OF_BODY)
    };
    match headers.keys().find(|name| !is_covered(name.as_str())) {
        None => Ok(()),
        Some(name) => Err(s3_error!(
            AccessDenied,
            "There were headers present in the request which were not signed: {name}"
        )),
    }
}

fn unsupported() -> s3s::S3Error {
    s3_error!(
        InvalidRequest,
        "The authorization mechanism you have provided is not supported. Please use {VERSION_4}."
    )
}

fn malformed() -> s3s::S3Error {
    s3_error!(
        AuthorizationHeaderMalformed,
        "The authorization header that you provided is not valid."
    )
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    const URL: &str = "/test/key?X-Amz-Signature=0&X-Amz-SignedHeaders=host%3Bx-amz-acl";

    fn code(target: &str, headers: &[(&'static str, &str)]) -> Option<String> {
        let uri: Uri = target.parse().expect("a target");
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_str(value).expect("a value"));
        }
        let refused = check(&uri, &map).err();
        refused.map(|error| error.code().as_str().to_owned())
    }

    fn version_4(signed: &str) -> String {
        format!(
            "{VERSION_4} Credential=k/20261126/us-east-1/s3/aws4_request, SignedHeaders={signed}, Signature=0"
        )
    }

    #[test]
    fn headers_must_be_signed() {
        let copy = ("x-amz-copy-source", "b/k");
        let signed = version_4("host;x-amz-copy-source");
        let others = version_4("host;x-amz-copy-source-range;xx-amz-copy-source");
        let hidden = version_4("host") + ", SignedHeaders=x-amz-copy-source";
        let tight = signed.replace(", ", ",");
        for (authorization, expected) in [
            (&signed, None),
            (&tight, None),
            (&others, Some("AccessDenied")),
            (&hidden, Some("AccessDenied")),
        ] {
            let headers = [("authorization", authorization.as_str()), copy];
            assert_eq!(
                code("/test/key", &headers).as_deref(),
                expected,
                "{authorization}"
            );
        }
        let denied = Some("AccessDenied".to_owned());
        assert_eq!(code(URL, &[copy]), denied);
        assert_eq!(code(URL, &[("x-minio-force-delete", "true")]), denied);
        assert_eq!(
            code(URL, &[("x-amz-acl", "private"), ("range", "bytes=0-1")]),
            None
        );
        assert_eq!(code("/test/key?X-Amz-Signature=0", &[copy]), denied);
    }

    #[test]
    fn a_digest_of_the_body_may_be_added_to_a_url_only() {
        let digest = ("x-amz-content-sha256", "UNSIGNED-PAYLOAD");
        assert_eq!(code(URL, &[digest]), None);
        let authorization = version_4("host");
        let headers = [("authorization", authorization.as_str()), digest];
        assert_eq!(code("/test/key", &headers).as_deref(), Some("AccessDenied"));
    }

    #[test]
    fn only_version_4_in_one_place() {
        for authorization in ["AWS key:sig", "AWS4-HMAC-SHA2561 a", "Basic a", ""] {
            let headers = [("authorization", authorization)];
            assert_eq!(
                code("/test/key", &headers).as_deref(),
                Some("InvalidRequest")
            );
        }
        let query = "/test/key?AWSAccessKeyId=k&Signature=s&Expires=1";
        assert_eq!(code(query, &[]).as_deref(), Some("InvalidRequest"));
        let malformed = [("authorization", "AWS4-HMAC-SHA256 SignedHeaders=host")];
        let expected = Some("AuthorizationHeaderMalformed");
        assert_eq!(code("/test/key", &malformed).as_deref(), expected);
        let authorization = version_4("host;x-amz-acl");
        let both = [("authorization", authorization.as_str())];
        assert_eq!(code(URL, &both).as_deref(), Some("InvalidArgument"));
        let twice = [("authorization", "AWS4-HMAC-SHA256 a"); 2];
        assert_eq!(
            code("/test/key", &twice).as_deref(),
            Some("InvalidArgument")
        );
        assert_eq!(code("/test/key", &[]), None);
    }
}
