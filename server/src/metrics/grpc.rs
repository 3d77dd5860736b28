//! RPC methods and status codes, named as in go-grpc-prometheus and in traces.

use tonic::Code;

use crate::words::{Words as _, words};

/// The codes by number: their names in metrics, and in the gRPC specification.
pub(crate) const CODES: [(&str, &str); 17] = [
    ("OK", "OK"),
    ("Canceled", "CANCELLED"),
    ("Unknown", "UNKNOWN"),
    ("InvalidArgument", "INVALID_ARGUMENT"),
    ("DeadlineExceeded", "DEADLINE_EXCEEDED"),
    ("NotFound", "NOT_FOUND"),
    ("AlreadyExists", "ALREADY_EXISTS"),
    ("PermissionDenied", "PERMISSION_DENIED"),
    ("ResourceExhausted", "RESOURCE_EXHAUSTED"),
    ("FailedPrecondition", "FAILED_PRECONDITION"),
    ("Aborted", "ABORTED"),
    ("OutOfRange", "OUT_OF_RANGE"),
    ("Unimplemented", "UNIMPLEMENTED"),
    ("Internal", "INTERNAL"),
    ("Unavailable", "UNAVAILABLE"),
    ("DataLoss", "DATA_LOSS"),
    ("Unauthenticated", "UNAUTHENTICATED"),
];

/// The index of a code in [`CODES`].
pub(crate) fn code_index(code: Code) -> usize {
    usize::try_from(i32::from(code)).map_or(2, |index| index.min(CODES.len() - 1))
}

words! {
    /// Every RPC method that the server counts, by its path without the first slash. Any other path
    /// is answered with UNIMPLEMENTED and not counted, because the client chose its name.
    pub(crate) enum Method {
        Digest = "hashlane.v1.HashService/Digest",
        Verify = "hashlane.v1.HashService/Verify",
        DigestBatch = "hashlane.v1.HashService/DigestBatch",
        Compose = "hashlane.v1.HashService/Compose",
        GetServerInfo = "hashlane.v1.HashService/GetServerInfo",
        HealthCheck = "grpc.health.v1.Health/Check",
        HealthWatch = "grpc.health.v1.Health/Watch",
        Reflection = "grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        /// `PUT /v1/digest`, which is not gRPC: no path leads here.
        Put = "hashlane.v1.HashService/PUT",
    }
}

/// The service whose health is reported and whose streams drain.
pub(crate) const HASH_SERVICE: &str = "hashlane.v1.HashService";

/// The same messages under an older name, for older clients.
const REFLECTION_ALPHA: &str = "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

impl Method {
    /// The method at `path`, as in `/hashlane.v1.HashService/Digest`.
    pub(crate) fn at(path: &str) -> Option<Self> {
        let path = path.strip_prefix('/')?;
        if path == REFLECTION_ALPHA {
            return Some(Self::Reflection);
        }
        Self::VALUES
            .iter()
            .copied()
            .find(|method| method.word() == path && *method != Self::Put)
    }

    pub(crate) fn service(self) -> &'static str {
        self.word()
            .split_once('/')
            .map_or("", |(service, _)| service)
    }

    pub(crate) fn name(self) -> &'static str {
        self.word().split_once('/').map_or("", |(_, name)| name)
    }

    /// Whether its calls are traced. Probes are frequent, and their traces say little.
    pub(crate) fn is_traced(self) -> bool {
        self.service() == HASH_SERVICE
    }

    /// The value of the `grpc_type` label.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Digest | Self::Verify | Self::Reflection => "bidi_stream",
            Self::HealthWatch => "server_stream",
            Self::Put => "client_stream",
            Self::DigestBatch | Self::Compose | Self::GetServerInfo | Self::HealthCheck => "unary",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_found_by_path() {
        assert_eq!(
            Method::at("/hashlane.v1.HashService/Verify"),
            Some(Method::Verify)
        );
        assert_eq!(
            Method::at("/grpc.health.v1.Health/Check"),
            Some(Method::HealthCheck)
        );
        assert_eq!(
            Method::at("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"),
            Some(Method::Reflection)
        );
        assert_eq!(Method::at("/hashlane.v1.HashService/Nothing"), None);
        assert_eq!(Method::at("/hashlane.v1.HashService/Digest/x"), None);
        assert_eq!(Method::at(""), None);
    }

    #[test]
    fn a_method_is_counted_at_its_own_place() {
        for (index, method) in Method::VALUES.iter().enumerate() {
            assert_eq!(*method as usize, index);
            let found = Method::at(&format!("/{}", method.word()));
            assert_eq!(found, (*method != Method::Put).then_some(*method));
            assert_eq!(
                method.word(),
                format!("{}/{}", method.service(), method.name())
            );
        }
        let names = |code| CODES[code_index(code)];
        assert_eq!(names(Code::Cancelled), ("Canceled", "CANCELLED"));
        assert_eq!(names(Code::Unauthenticated).0, "Unauthenticated");
    }
}
