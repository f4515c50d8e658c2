use std::{fmt, fs, path::Path};

use base64::{engine::general_purpose::URL_SAFE_NO_PAD, Engine as _};
use p256::ecdsa::{signature::Signer as _, Signature, SigningKey};
use serde_json::{json, Value};

use crate::Error;

/// What the first start of the service writes to `data/root-api-key.json`.
pub struct KeyFile {
    pub organization_id: String,
    pub api_key: ApiKey,
}

impl KeyFile {
    /// Reads an API key and the organization that it belongs to.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref().display();
        let text = fs::read_to_string(path.to_string())
            .map_err(|error| Error::InvalidCredential(format!("cannot read {path}: {error}")))?;
        // The parser's own message could quote the file, which holds a private key.
        let file: Value = serde_json::from_str(&text)
            .map_err(|_| Error::InvalidCredential(format!("{path} is not JSON")))?;
        let member = |name: &str| {
            file[name].as_str().ok_or_else(|| {
                Error::InvalidCredential(format!("{path} has no text in its member {name}"))
            })
        };
        Ok(Self {
            organization_id: member("organizationId")?.to_owned(),
            api_key: ApiKey::new(member("apiPublicKey")?, member("apiPrivateKey")?)?,
        })
    }
}

/// Puts a signature over a request's body into a header.
pub trait Stamper {
    /// The name and the value of the header.
    fn stamp(&self, body: &[u8]) -> (&'static str, String);
}

/// Stamps requests with a P-256 API key.
pub struct ApiKey {
    public_key: String,
    signing_key: SigningKey,
}

impl ApiKey {
    /// Takes both halves of a P-256 API key in hex, as the key file has them: 66 characters of the
    /// compressed public key and 64 of the private key.
    pub fn new(public_key: &str, private_key: &str) -> Result<Self, Error> {
        let mut scalar = [0; 32];
        hex::decode_to_slice(private_key, &mut scalar).map_err(|_| {
            Error::InvalidCredential(
                "the private key must be 64 hex characters, as apiPrivateKey in the key file"
                    .into(),
            )
        })?;
        let signing_key = SigningKey::from_slice(&scalar).map_err(|_| {
            Error::InvalidCredential(
                "the private key is not a P-256 key: it is zero or too large".into(),
            )
        })?;
        let derived = hex::encode(signing_key.verifying_key().to_sec1_point(true).as_bytes());
        if public_key != derived {
            return Err(Error::InvalidCredential(
                "the public key does not belong to the private key: give both halves of one P-256 \
                 API key, in lower-case hex"
                    .into(),
            ));
        }
        Ok(Self { public_key: derived, signing_key })
    }
}

impl Stamper for ApiKey {
    /// Signs the SHA-256 of the body.
    fn stamp(&self, body: &[u8]) -> (&'static str, String) {
        let signature: Signature = self.signing_key.sign(body);
        let stamp = json!({
            "publicKey": self.public_key,
            "scheme": "SIGNATURE_SCHEME_TK_API_P256",
            "signature": hex::encode(signature.to_der().as_bytes()),
        });
        ("X-Stamp", URL_SAFE_NO_PAD.encode(stamp.to_string()))
    }
}

/// Shows the public half only.
impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiKey").field("public_key", &self.public_key).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use p256::ecdsa::signature::Verifier as _;

    use super::*;

    // A P-256 key, a body, and a stamp over it that another program made (packages/crypto/src/vectors).
    const PUBLIC_KEY: &str = "028343586dc2b636d56d31ec9e14d4c6a8001eff7fba73a4d766bf56030a39b8b5";
    const PRIVATE_KEY: &str = "4d9df9b0201b327a9914d70131ac889f36e8ada655fa409a876821b81a374ab9";
    const BODY: &str = r#"{"organizationId":"11111111-2222-4333-8444-555555555555"}"#;
    const SIGNATURE: &str = "3045022100ef84d393e9b1ff18ecba58a1fb8f75b58e1c87e15074f315094d964f87dc2094022038722e67dbaab4b7b84d1e55be4ab8f0f1f88ca4e09132517685f7b6c42bd87c";

    #[test]
    fn a_stamp_is_the_one_of_the_vector() {
        let key = ApiKey::new(PUBLIC_KEY, PRIVATE_KEY).unwrap();
        let (name, value) = key.stamp(BODY.as_bytes());
        assert_eq!(name, "X-Stamp");
        let stamp: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(value).unwrap()).unwrap();
        // Nonces are deterministic (RFC 6979), so the signature is equal and not only valid.
        assert_eq!(
            stamp,
            json!({
                "publicKey": PUBLIC_KEY,
                "scheme": "SIGNATURE_SCHEME_TK_API_P256",
                "signature": SIGNATURE,
            })
        );
        let signature = Signature::from_der(&hex::decode(SIGNATURE).unwrap()).unwrap();
        let verifying_key = key.signing_key.verifying_key();
        assert!(verifying_key.verify(BODY.as_bytes(), &signature).is_ok());
        assert!(verifying_key.verify(b"another body", &signature).is_err());
    }

    #[test]
    fn a_key_must_be_one_p256_pair() {
        let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
        let zero = "0".repeat(64);
        for (public_key, private_key) in [
            (&PUBLIC_KEY.replacen("02", "03", 1)[..], PRIVATE_KEY),
            (&PUBLIC_KEY.to_uppercase(), PRIVATE_KEY),
            (PUBLIC_KEY, &PRIVATE_KEY[2..]),
            (PUBLIC_KEY, &format!("00{PRIVATE_KEY}")),
            (PUBLIC_KEY, &zero),
            (PUBLIC_KEY, order),
            (PUBLIC_KEY, "not hex"),
        ] {
            let error = ApiKey::new(public_key, private_key).unwrap_err();
            assert!(matches!(error, Error::InvalidCredential(_)));
            assert!(!error.to_string().contains(private_key));
        }
    }

    #[test]
    fn a_key_shows_its_public_half_only() {
        let shown = format!("{:?}", ApiKey::new(PUBLIC_KEY, PRIVATE_KEY).unwrap());
        assert!(shown.contains(PUBLIC_KEY) && !shown.contains(PRIVATE_KEY));
    }
}
