// Asks who it is, finds or creates a wallet with one Ethereum account, and signs a message that any
// Ethereum library verifies.

import Foundation
import Keyhearth

let walletName = "Swift example"

struct Me: Decodable { let username, organizationName: String }
struct Wallets: Decodable {
  let wallets: [Wallet]
  struct Wallet: Decodable { let walletId, walletName: String }
}
struct Accounts: Decodable {
  let accounts: [Account]
  struct Account: Decodable { let address, addressFormat: String }
}
struct CreatedWallet: Decodable { let addresses: [String] }
struct Signature: Decodable { let r, s, v: String }

func setting(_ name: String, _ otherwise: String) -> String {
  let value = ProcessInfo.processInfo.environment[name] ?? ""
  return value.isEmpty ? otherwise : value
}

func connect() throws -> Client {
  let key = try KeyFile(path: setting("KEYHEARTH_ROOT_KEY", "../../data/root-api-key.json"))
  return try Client(
    baseURL: setting("KEYHEARTH_URL", "http://localhost:3000"),
    organizationId: setting("KEYHEARTH_ORGANIZATION_ID", key.organizationId),
    route: .direct(key.apiKey))
}

/// Finds the account of this example's wallet, or creates the wallet.
func ethereumAddress(_ client: Client) async throws -> String? {
  let listed: Wallets = try await client.query("list_wallets")
  if let wallet = listed.wallets.first(where: { $0.walletName == walletName }) {
    let parameters = ["walletId": wallet.walletId]
    let listed: Accounts = try await client.query("list_wallet_accounts", parameters)
    return listed.accounts.first { $0.addressFormat == "ADDRESS_FORMAT_ETHEREUM" }?.address
  }

  let created: (activity: Activity, result: CreatedWallet) = try await client.submit(
    "create_wallet", type: "ACTIVITY_TYPE_CREATE_WALLET",
    [
      "walletName": walletName,
      "accounts": [
        [
          "curve": "CURVE_SECP256K1",
          "pathFormat": "PATH_FORMAT_BIP32",
          "path": "m/44'/60'/0'/0/0",
          "addressFormat": "ADDRESS_FORMAT_ETHEREUM",
        ]
      ],
    ])
  return created.result.addresses.first
}

/// Signs as Ethereum wallets do (EIP-191) and returns the 65 bytes that libraries expect.
func sign(_ message: String, with address: String, _ client: Client) async throws -> String {
  let payload = "\u{19}Ethereum Signed Message:\n\(message.utf8.count)\(message)"
  let signed: (activity: Activity, result: Signature) = try await client.submit(
    "sign_raw_payload", type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    [
      "signWith": address,
      "payload": payload.utf8.map { String(format: "%02x", $0) }.joined(),
      "encoding": "PAYLOAD_ENCODING_HEXADECIMAL",
      "hashFunction": "HASH_FUNCTION_KECCAK256",
    ])
  // The service says 00 or 01; Ethereum adds 27.
  return "0x\(signed.result.r)\(signed.result.s)\(signed.result.v == "00" ? "1b" : "1c")"
}

do {
  let client = try connect()
  let me: Me = try await client.query("whoami")
  print("Signed in as \(me.username) of \(me.organizationName)")

  guard let address = try await ethereumAddress(client) else {
    fatalError("the wallet has no Ethereum account")
  }
  print("Address: \(address)")

  let message = "Hello from Swift"
  print("Message: \(message)")
  print("Signature: \(try await sign(message, with: address, client))")
} catch {
  FileHandle.standardError.write(Data("\(error.localizedDescription)\n".utf8))
  exit(1)
}
