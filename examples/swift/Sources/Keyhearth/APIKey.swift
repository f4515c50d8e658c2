import Crypto
import Foundation

/// Puts a signature over a request's body into a header.
public protocol Stamper: Sendable {
  /// The name and the value of the header. It may ask a person, so it can take minutes.
  func stamp(_ body: Data) async throws -> (name: String, value: String)
}

/// Stamps requests with a P-256 API key.
public struct APIKey: Stamper {
  /// The compressed public key: 66 hex characters.
  public let publicKey: String
  private let key: P256.Signing.PrivateKey

  /// Takes both halves of a P-256 API key in hex, as the key file has them.
  public init(publicKey: String, privateKey: String) throws {
    guard let scalar = Data(hex: privateKey), scalar.count == 32 else {
      throw KeyhearthError.invalidCredential(
        "the private key must be 64 hex characters, as apiPrivateKey in the key file")
    }
    guard let key = try? P256.Signing.PrivateKey(rawRepresentation: scalar) else {
      throw KeyhearthError.invalidCredential(
        "the private key is not a P-256 key: it is zero or too large")
    }
    guard publicKey == key.publicKey.compressedRepresentation.hex else {
      throw KeyhearthError.invalidCredential(
        "the public key does not belong to the private key: give both halves of one P-256 API key, "
          + "in lower-case hex")
    }
    self.publicKey = publicKey
    self.key = key
  }

  /// Signs the SHA-256 of the body.
  public func stamp(_ body: Data) throws -> (name: String, value: String) {
    let stamp = [
      "publicKey": publicKey,
      "scheme": "SIGNATURE_SCHEME_TK_API_P256",
      "signature": try key.signature(for: SHA256.hash(data: body)).derRepresentation.hex,
    ]
    return ("X-Stamp", try JSONSerialization.data(withJSONObject: stamp).base64URL)
  }
}

/// What the first start of the service writes to `data/root-api-key.json`.
public struct KeyFile: Sendable {
  public let organizationId: String
  public let apiKey: APIKey

  /// Reads an API key and the organization that it belongs to.
  public init(path: String) throws {
    guard let text = FileManager.default.contents(atPath: path) else {
      throw KeyhearthError.invalidCredential("cannot read \(path)")
    }
    struct Members: Decodable {
      let organizationId, apiPublicKey, apiPrivateKey: String
    }
    guard let file = try? JSONDecoder().decode(Members.self, from: text) else {
      throw KeyhearthError.invalidCredential("\(path) does not have the members of an API key")
    }
    organizationId = file.organizationId
    apiKey = try APIKey(publicKey: file.apiPublicKey, privateKey: file.apiPrivateKey)
  }
}
