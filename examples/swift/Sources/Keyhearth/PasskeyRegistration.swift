#if canImport(AuthenticationServices)
  import AuthenticationServices
  import Foundation

  /// How a registration ended.
  public enum PasskeyOutcome {
    /// The `authenticators` entry for create_sub_organization, create_users or create_authenticators.
    case completed([String: Any])
    /// The person closed the prompt. Offer the button again.
    case cancelled
    case failed(any Error)
  }

  /// Registers a passkey for a domain. Keep it until it has called back.
  @MainActor
  public final class PasskeyRegistration: NSObject {
    private let domain: String
    private let anchor: ASPresentationAnchor
    private let challenge: Data
    private let name: String
    private var finish: ((PasskeyOutcome) -> Void)?

    /// The domain is the id of the relying party: the host that serves the association file. The anchor
    /// is the window over which the system shows its prompt.
    public init(domain: String, anchor: ASPresentationAnchor, userName: String) {
      self.domain = domain
      self.anchor = anchor
      name = userName
      challenge = Self.random()
    }

    /// Shows the system's prompt, and calls back once.
    public func start(_ finish: @escaping (PasskeyOutcome) -> Void) {
      self.finish = finish
      let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
        relyingPartyIdentifier: domain)
      let request = provider.createCredentialRegistrationRequest(
        challenge: challenge, name: name, userID: Self.random())
      let controller = ASAuthorizationController(authorizationRequests: [request])
      controller.delegate = self
      controller.presentationContextProvider = self
      controller.performRequests()
    }

    private func end(_ outcome: PasskeyOutcome) {
      finish?(outcome)
      finish = nil
    }

    private static func random() -> Data {
      // The generator is the system's, which is fit for keys.
      var generator = SystemRandomNumberGenerator()
      return Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
  }

  extension PasskeyRegistration: ASAuthorizationControllerDelegate,
    ASAuthorizationControllerPresentationContextProviding
  {
    public func presentationAnchor(for controller: ASAuthorizationController)
      -> ASPresentationAnchor
    { anchor }

    public func authorizationController(
      controller: ASAuthorizationController,
      didCompleteWithAuthorization authorization: ASAuthorization
    ) {
      guard
        let made = authorization.credential
          as? ASAuthorizationPlatformPublicKeyCredentialRegistration,
        let attestation = made.rawAttestationObject
      else { return end(.failed(ASAuthorizationError(.invalidResponse))) }
      end(
        .completed([
          "authenticatorName": name,
          "challenge": challenge.base64URL,
          "attestation": [
            "credentialId": made.credentialID.base64URL,
            "clientDataJson": made.rawClientDataJSON.base64URL,
            "attestationObject": attestation.base64URL,
            "transports": ["AUTHENTICATOR_TRANSPORT_INTERNAL", "AUTHENTICATOR_TRANSPORT_HYBRID"],
          ] as [String: Any],
        ]))
    }

    public func authorizationController(
      controller: ASAuthorizationController, didCompleteWithError error: any Error
    ) {
      let isCancelled = (error as? ASAuthorizationError)?.code == .canceled
      end(isCancelled ? .cancelled : .failed(error))
    }
  }
#endif
