//! RPC methods and status codes, named as in go-grpc-prometheus.

use tonic::Code;

/// The number of gRPC status codes.
pub(crate) const CODES: usize = 17;

/// The names of the codes, by number.
pub(crate) const CODE_NAMES: [&str; CODES] = [
    "OK",
    "Canceled",
    "Unknown",
    "InvalidArgument",
    "DeadlineExceeded",
    "NotFound",
    "AlreadyExists",
    "PermissionDenied",
    "ResourceExhausted",
    "FailedPrecondition",
    "Aborted",
    "OutOfRange",
    "Unimplemented",
    "Internal",
    "Unavailable",
    "DataLoss",
    "Unauthenticated",
];

/// The index of a code's counter.
pub(crate) fn code_index(code: Code) -> usize {
    usize::try_from(i32::from(code)).map_or(2, |index| index.min(CODES - 1))
}

/// Every RPC method that the server counts. Any other path is answered with UNIMPLEMENTED and not
/// counted, because the client chose its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Digest,
    Verify,
    DigestBatch,
    Compose,
    GetServerInfo,
    HealthCheck,
    HealthWatch,
    Reflection,
    /// `PUT /v1/digest`, which is not gRPC.
    Put,
}

/// The service whose health is reported and whose streams drain.
pub(crate) const HASH_SERVICE: &str = "hashlane.v1.HashService";
const HEALTH: &str = "grpc.health.v1.Health";
const REFLECTION: &str = "grpc.reflection.v1.ServerReflection";
/// The same messages under an older name, for older clients.
const REFLECTION_ALPHA: &str = "grpc.reflection.v1alpha.ServerReflection";

impl Method {
    pub(crate) const ALL: [Self; 9] = [
        Self::Digest,
        Self::Verify,
        Self::DigestBatch,
        Self::Compose,
        Self::GetServerInfo,
        Self::HealthCheck,
        Self::HealthWatch,
        Self::Reflection,
        Self::Put,
    ];

    /// The method at `path`, as in `/hashlane.v1.HashService/Digest`.
    pub(crate) fn at(path: &str) -> Option<Self> {
        let (service, method) = path.strip_prefix('/')?.split_once('/')?;
        let service = match service {
            REFLECTION_ALPHA => REFLECTION,
            service => service,
        };
        Self::ALL
            .into_iter()
            .filter(|candidate| *candidate != Self::Put)
            .find(|candidate| candidate.service() == service && candidate.name() == method)
    }

    pub(crate) fn service(self) -> &'static str {
        match self {
            Self::Digest
            | Self::Verify
            | Self::DigestBatch
            | Self::Compose
            | Self::GetServerInfo
            | Self::Put => HASH_SERVICE,
            Self::HealthCheck | Self::HealthWatch => HEALTH,
            Self::Reflection => REFLECTION,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Digest => "Digest",
            Self::Verify => "Verify",
            Self::DigestBatch => "DigestBatch",
            Self::Compose => "Compose",
            Self::GetServerInfo => "GetServerInfo",
            Self::HealthCheck => "Check",
            Self::HealthWatch => "Watch",
            Self::Reflection => "ServerReflectionInfo",
            Self::Put => "PUT",
        }
    }

    /// Whether its calls are traced. Probes are frequent, and their traces say little.
    pub(crate) fn is_traced(self) -> bool {
        self.service() == HASH_SERVICE
    }

    /// As in a path, without the first slash.
    pub(crate) fn full_name(self) -> &'static str {
        match self {
            Self::Digest => "hashlane.v1.HashService/Digest",
            Self::Verify => "hashlane.v1.HashService/Verify",
            Self::DigestBatch => "hashlane.v1.HashService/DigestBatch",
            Self::Compose => "hashlane.v1.HashService/Compose",
            Self::GetServerInfo => "hashlane.v1.HashService/GetServerInfo",
            Self::HealthCheck => "grpc.health.v1.Health/Check",
            Self::HealthWatch => "grpc.health.v1.Health/Watch",
            Self::Reflection => "grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
            Self::Put => "hashlane.v1.HashService/PUT",
        }
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
        for (index, method) in Method::ALL.into_iter().enumerate() {
            assert_eq!(method as usize, index);
            let found = Method::at(&format!("/{}", method.full_name()));
            assert_eq!(found, (method != Method::Put).then_some(method));
        }
        assert_eq!(CODE_NAMES[code_index(Code::Unavailable)], "Unavailable");
        assert_eq!(
            CODE_NAMES[code_index(Code::Unauthenticated)],
            "Unauthenticated"
        );
    }
}
