//! Asks who it is, finds or creates a wallet with one Ethereum account, signs a message that any Ethereum
//! library verifies, and verifies it itself.

use std::{env, error::Error, process::ExitCode};

use k256::ecdsa::{RecoveryId, Signature, VerifyingKey};
use keyhearth_example::{ApiKey, Client, KeyFile};
use serde_json::{json, Value};
use sha3::{Digest as _, Keccak256};

const WALLET_NAME: &str = "Rust example";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let client = connect()?;

    let me = client.query("whoami", json!({}))?;
    println!("Signed in as {} of {}", text(&me, "username")?, text(&me, "organizationName")?);

    let address = ethereum_address(&client)?;
    println!("Address: {address}");

    let message = "Hello from Rust";
    let payload = format!("\x19Ethereum Signed Message:\n{}{message}", message.len());
    let signature = sign(&client, &address, payload.as_bytes())?;
    println!("Message: {message}\nSignature: 0x{}", hex::encode(signature));

    let recovered = recover(payload.as_bytes(), &signature)?;
    if !recovered.eq_ignore_ascii_case(&address) {
        return Err(format!("the signature is by {recovered}").into());
    }
    println!("The signature recovers to the address");
    Ok(())
}

fn connect() -> Result<Client<ApiKey>, Box<dyn Error>> {
    let setting = |name: &str, otherwise: &str| {
        env::var(name).ok().filter(|value| !value.is_empty()).unwrap_or_else(|| otherwise.into())
    };
    let key = KeyFile::read(setting("KEYHEARTH_ROOT_KEY", "../../data/root-api-key.json"))?;
    let organization_id = setting("KEYHEARTH_ORGANIZATION_ID", &key.organization_id);
    let base_url = setting("KEYHEARTH_URL", "http://localhost:3000");
    Ok(Client::new(&base_url, &organization_id, key.api_key)?)
}

/// Finds the account of this example's wallet, or creates the wallet.
fn ethereum_address(client: &Client<ApiKey>) -> Result<String, Box<dyn Error>> {
    let listed = client.query("list_wallets", json!({}))?;
    let wallets = listed["wallets"].as_array().ok_or("no list of wallets")?;
    if let Some(wallet) = wallets.iter().find(|wallet| wallet["walletName"] == WALLET_NAME) {
        let parameters = json!({ "walletId": text(wallet, "walletId")? });
        let listed = client.query("list_wallet_accounts", parameters)?;
        let accounts = listed["accounts"].as_array().ok_or("no list of accounts")?;
        let account = accounts
            .iter()
            .find(|account| account["addressFormat"] == "ADDRESS_FORMAT_ETHEREUM")
            .ok_or("the wallet has no Ethereum account")?;
        return Ok(text(account, "address")?.to_owned());
    }

    let created = client.submit(
        "create_wallet",
        "ACTIVITY_TYPE_CREATE_WALLET",
        json!({
            "walletName": WALLET_NAME,
            "accounts": [{
                "curve": "CURVE_SECP256K1",
                "pathFormat": "PATH_FORMAT_BIP32",
                "path": "m/44'/60'/0'/0/0",
                "addressFormat": "ADDRESS_FORMAT_ETHEREUM",
            }],
        }),
    )?;
    Ok(created.result["addresses"][0].as_str().ok_or("no address")?.to_owned())
}

/// Signs the payload's Keccak-256 and returns the 65 bytes that Ethereum libraries expect.
fn sign(
    client: &Client<ApiKey>,
    address: &str,
    payload: &[u8],
) -> Result<[u8; 65], Box<dyn Error>> {
    let signed = client.submit(
        "sign_raw_payload",
        "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
        json!({
            "signWith": address,
            "payload": hex::encode(payload),
            "encoding": "PAYLOAD_ENCODING_HEXADECIMAL",
            "hashFunction": "HASH_FUNCTION_KECCAK256",
        }),
    )?;
    let result = &signed.result;
    let (r, s, v) = (text(result, "r")?, text(result, "s")?, text(result, "v")?);
    // The service says 00 or 01; Ethereum adds 27.
    let v = match v {
        "00" => "1b",
        "01" => "1c",
        _ => return Err("a signature of an unknown form".into()),
    };
    let mut signature = [0; 65];
    hex::decode_to_slice(format!("{r}{s}{v}"), &mut signature)?;
    Ok(signature)
}

/// The address whose key made the signature.
fn recover(payload: &[u8], signature: &[u8; 65]) -> Result<String, Box<dyn Error>> {
    let id = RecoveryId::from_byte(signature[64].wrapping_sub(27)).ok_or("v is not 27 or 28")?;
    let digest = Keccak256::digest(payload);
    let rs = Signature::from_slice(&signature[..64])?;
    let key = VerifyingKey::recover_from_prehash(&digest, &rs, id)?;
    let point = key.to_sec1_point(false);
    Ok(format!("0x{}", hex::encode(&Keccak256::digest(&point.as_bytes()[1..])[12..])))
}

fn text<'a>(json: &'a Value, name: &str) -> Result<&'a str, String> {
    json[name].as_str().ok_or_else(|| format!("the answer has no text in {name}"))
}
