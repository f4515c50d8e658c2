import Crypto
import XCTest

@testable import Keyhearth

final class APIKeyTests: XCTestCase {
  // A P-256 key, a body, and a stamp over it that another program made (packages/crypto/src/vectors).
  let publicKey = "028343586dc2b636d56d31ec9e14d4c6a8001eff7fba73a4d766bf56030a39b8b5"
  let privateKey = "4d9df9b0201b327a9914d70131ac889f36e8ada655fa409a876821b81a374ab9"
  let body = Data(#"{"organizationId":"11111111-2222-4333-8444-555555555555"}"#.utf8)
  let signature =
    "3045022100ef84d393e9b1ff18ecba58a1fb8f75b58e1c87e15074f315094d964f87dc2094022038722e67dbaab4b7b84d"
    + "1e55be4ab8f0f1f88ca4e09132517685f7b6c42bd87c"

  func testAStampVerifies() throws {
    let (name, value) = try APIKey(publicKey: publicKey, privateKey: privateKey).stamp(body)
    XCTAssertEqual(name, "X-Stamp")
    var base64 = value.replacingOccurrences(of: "-", with: "+")
      .replacingOccurrences(of: "_", with: "/")
    base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
    let text = try XCTUnwrap(Data(base64Encoded: base64))
    let stamp = try JSONDecoder().decode([String: String].self, from: text)
    XCTAssertEqual(stamp.keys.sorted(), ["publicKey", "scheme", "signature"])
    XCTAssertEqual(stamp["publicKey"], publicKey)
    XCTAssertEqual(stamp["scheme"], "SIGNATURE_SCHEME_TK_API_P256")
    for each in [signature, try XCTUnwrap(stamp["signature"])] {
      XCTAssertTrue(try verifies(each, body))
      XCTAssertFalse(try verifies(each, body + Data([10])))
    }
  }

  func testAKeyMustBeOneP256Pair() {
    for (publicKey, privateKey) in [
      ("03" + publicKey.dropFirst(2), privateKey),
      (publicKey.uppercased(), privateKey),
      (publicKey, String(privateKey.dropFirst(2))),
      (publicKey, "00" + privateKey),
      (publicKey, String(repeating: "0", count: 64)),
      (publicKey, String(repeating: "z", count: 64)),
    ] {
      XCTAssertThrowsError(try APIKey(publicKey: publicKey, privateKey: privateKey)) {
        XCTAssertFalse($0.localizedDescription.contains(privateKey))
      }
    }
  }

  func verifies(_ signature: String, _ body: Data) throws -> Bool {
    let key = try P256.Signing.PublicKey(
      compressedRepresentation: try XCTUnwrap(Data(hex: publicKey)))
    let der = try P256.Signing.ECDSASignature(
      derRepresentation: try XCTUnwrap(Data(hex: signature)))
    return key.isValidSignature(der, for: SHA256.hash(data: body))
  }
}
