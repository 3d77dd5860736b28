//! The key that clients sign with.

use s3s::auth::{S3Auth, SecretKey};
use s3s::{S3Result, s3_error};

/// The one key that the gateway knows. s3s's own store of keys calls others accounts that are not
/// signed up, where S3 says InvalidAccessKeyId.
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
