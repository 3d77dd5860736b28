//! The clients' key and its region.

use s3s::auth::{S3Auth, SecretKey};
use s3s::{S3Result, s3_error};

/// S3's default region; the location of its buckets is empty.
pub const REGION: &str = "us-east-1";

/// The owner of the key and of all buckets.
pub const OWNER: &str = "hashlane-s3-gateway";

/// The only key that the gateway knows. For other keys, s3s's key store answers that the account is
/// not signed up, but S3 answers InvalidAccessKeyId.
#[derive(Debug)]
pub struct Key {
    access_key: String,
    secret_key: SecretKey,
}

impl Key {
    pub fn new(access_key: String, secret_key: String) -> Self {
        Self {
            access_key,
            secret_key: secret_key.into(),
        }
    }
}

#[async_trait::async_trait]
impl S3Auth for Key {
    async fn get_secret_key(&self, access_key: &str) -> S3Result<SecretKey> {
        if access_key == self.access_key {
            return Ok(self.secret_key.clone());
        }
        Err(s3_error!(InvalidAccessKeyId))
    }
}
