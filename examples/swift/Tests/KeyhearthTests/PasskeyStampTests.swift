import XCTest

@testable import Keyhearth

final class PasskeyStampTests: XCTestCase {
  // A body, and a stamp over it that another program made (packages/crypto/src/vectors).
  let body = Data(#"{"organizationId":"11111111-2222-4333-8444-555555555555"}"#.utf8)
  let challenge =
    "ZDg1NjJhMTQ5OTBhNTNkMzk3MDRhYzcyNWYyYjg4MzJkMDMwOWIwMDVhNjI5ZmYwMmY4NDNiNDJiODQ2YjNlYQ"
  let clientData =
    #"{"type":"webauthn.get","challenge":"ZDg1NjJhMTQ5OTBhNTNkMzk3MDRhYzcyNWYyYjg4MzJkMDMwOWIwMDVhNjI5ZmYwMmY4NDNiNDJiODQ2YjNlYQ","origin":"https://app.example.com","crossOrigin":false}"#
  let authenticatorData = "KAWYKbEFHwTvAxGQZ8DOCeBSd2EokPjgh08djs4a4DQFAAAABw"
  let credentialId = "6kHtPPqRTKaLms_L0xFKpw"
  let signature =
    "MEQCIDhSeL2PAeT5wB-b07-fGdht4M7BuWm5V7Cnk0K6H0PIAiAuwGK26MvjH4qX-gcRPhnnuCZbg_d-6To0D-nW5vICiw"

  func testTheChallengeIsTheHexOfTheDigest() {
    XCTAssertEqual(PasskeyStamp.challenge(for: body).base64URL, challenge)
  }

  func testAStampHasTheFormOfTheVector() throws {
    let assertion = PasskeyAssertion(
      credentialId: try bytes(credentialId), authenticatorData: try bytes(authenticatorData),
      clientDataJSON: Data(clientData.utf8), signature: try bytes(signature))
    let (name, value) = try PasskeyStamp.header(assertion)
    XCTAssertEqual(name, "X-Stamp-Webauthn")
    let stamp = try JSONDecoder().decode([String: String].self, from: Data(value.utf8))
    XCTAssertEqual(
      stamp,
      [
        "authenticatorData": authenticatorData,
        "clientDataJson": Data(clientData.utf8).base64URL,
        "credentialId": credentialId,
        "signature": signature,
      ])
  }

  func bytes(_ base64URL: String) throws -> Data {
    var base64 = base64URL.replacingOccurrences(of: "-", with: "+")
      .replacingOccurrences(of: "_", with: "/")
    base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
    return try XCTUnwrap(Data(base64Encoded: base64))
  }
}
