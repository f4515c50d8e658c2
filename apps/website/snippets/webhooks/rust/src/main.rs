use base64::{engine::general_purpose::URL_SAFE_NO_PAD, Engine};
use ed25519_dalek::{Signature, VerifyingKey};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{error::Error, time::SystemTime};

/// Returns the activity of a delivery. The headers have lower-case names, and `is_ours` says whether an organization is
/// yours. Handle each activity's id with its status once.
pub fn verify_webhook(
    headers: &Value,
    body: &str,
    jwks: &Value,
    is_ours: impl Fn(&str) -> bool,
    now_ms: i64,
) -> Result<Value, Box<dyn Error>> {
    let read = |name: &str| headers[format!("x-turnkey-{name}")].as_str().unwrap_or("");
    let (key_id, timestamp) = (read("signature-key-id"), read("timestamp"));
    if read("signature-version") != "v1" || read("signature-algorithm") != "ed25519" {
        return Err("unknown form of signature".into());
    }
    let keys = jwks["keys"].as_array().ok_or("not a key set")?;
    let key = keys.iter().find(|key| key["kid"] == key_id && key["crv"] == "Ed25519");
    let x = key.and_then(|key| key["x"].as_str()).ok_or("not a key of the signer")?;
    let public_key: [u8; 32] = URL_SAFE_NO_PAD.decode(x)?.as_slice().try_into()?;
    // The id is the first half of the key's digest, so a pinned id pins the key.
    if hex::encode(&Sha256::digest(public_key)[..16]) != key_id {
        return Err("not a key of the signer".into());
    }
    let signed = format!("v1.ed25519.{key_id}.{timestamp}.{}.{body}", read("event-id"));
    let signature = Signature::from_slice(&hex::decode(read("signature"))?)?;
    VerifyingKey::from_bytes(&public_key)?.verify_strict(signed.as_bytes(), &signature)?;
    if (now_ms - timestamp.parse::<i64>()?).abs() > 300_000 {
        return Err("older than five minutes".into());
    }
    let activity: Value = serde_json::from_str(body)?;
    // Other tenants can have their events sent to your URL, signed with the same key.
    if !is_ours(activity["organizationId"].as_str().ok_or("not an activity")?) {
        return Err("not one of our organizations".into());
    }
    Ok(activity)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a file with a delivery")?;
    let delivery: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_millis() as i64;
    let now_ms = delivery["nowMs"].as_i64().unwrap_or(now);
    let body = delivery["body"].as_str().ok_or("no body")?;
    let ours = delivery["organizationIds"].as_array().ok_or("no organizations")?;
    let is_ours = |id: &str| ours.iter().any(|each| each == id);
    let activity = verify_webhook(&delivery["headers"], body, &delivery["jwks"], is_ours, now_ms)?;
    println!(
        "{}: {}",
        activity["type"].as_str().unwrap_or(""),
        activity["status"].as_str().unwrap_or("")
    );
    Ok(())
}
