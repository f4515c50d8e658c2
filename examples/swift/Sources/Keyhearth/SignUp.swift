import Foundation

/// The sub-organization of somebody who signed up, and the address of its wallet.
public struct SignedUp: Sendable {
  public let organizationId: String
  public let address: String
}

/// Creates a sub-organization whose only root user has this passkey, with one Ethereum wallet. The client
/// acts in your organization: use one with `Route.proxy`, so that your server stamps the request.
public func signUp(
  userName: String, authenticator: [String: Any], through client: Client
) async throws -> SignedUp {
  struct Created: Decodable {
    let subOrganizationId: String
    let wallet: Wallet
    struct Wallet: Decodable { let addresses: [String] }
  }
  let created: (activity: Activity, result: Created) = try await client.submit(
    "create_sub_organization", type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
    [
      "subOrganizationName": "\(userName) \(UUID().uuidString)",
      "rootQuorumThreshold": 1,
      "rootUsers": [
        [
          "userName": userName,
          "apiKeys": [] as [Any],
          "authenticators": [authenticator],
          "oauthProviders": [] as [Any],
        ]
      ],
      "wallet": [
        "walletName": "Main",
        "accounts": [
          [
            "curve": "CURVE_SECP256K1",
            "pathFormat": "PATH_FORMAT_BIP32",
            "path": "m/44'/60'/0'/0/0",
            "addressFormat": "ADDRESS_FORMAT_ETHEREUM",
          ]
        ],
      ] as [String: Any],
      // Nobody can log in by mail or SMS in place of the passkey.
      "disableEmailRecovery": true,
      "disableEmailAuth": true,
      "disableSmsAuth": true,
      "disableOtpEmailAuth": true,
    ])
  return SignedUp(
    organizationId: created.result.subOrganizationId,
    address: created.result.wallet.addresses.first ?? "")
}
