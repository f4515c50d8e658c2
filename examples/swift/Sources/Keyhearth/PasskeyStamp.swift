import Crypto
import Foundation

/// What a passkey answers to a challenge.
public struct PasskeyAssertion: Sendable {
  public let credentialId, authenticatorData, clientDataJSON, signature: Data

  public init(credentialId: Data, authenticatorData: Data, clientDataJSON: Data, signature: Data) {
    self.credentialId = credentialId
    self.authenticatorData = authenticatorData
    self.clientDataJSON = clientDataJSON
    self.signature = signature
  }
}

/// The header of a passkey for one body.
public enum PasskeyStamp {
  /// What the passkey signs: the hex digits of the body's SHA-256, as text.
  public static func challenge(for body: Data) -> Data {
    Data(Data(SHA256.hash(data: body)).hex.utf8)
  }

  /// The assertion as the service expects it. The signature is as the passkey made it, in DER.
  public static func header(_ assertion: PasskeyAssertion) throws -> (name: String, value: String) {
    let stamp = [
      "authenticatorData": assertion.authenticatorData.base64URL,
      "clientDataJson": assertion.clientDataJSON.base64URL,
      "credentialId": assertion.credentialId.base64URL,
      "signature": assertion.signature.base64URL,
    ]
    // Sorted, so that the same assertion is always the same header.
    let text = try JSONSerialization.data(withJSONObject: stamp, options: [.sortedKeys])
    return ("X-Stamp-Webauthn", String(decoding: text, as: UTF8.self))
  }
}
