#if canImport(AuthenticationServices)
  import AuthenticationServices
  import Foundation

  /// Stamps with a passkey of the device, so the person sees a prompt for each stamp. To ask only once, stamp the login of a
  /// session with it. Throws `CancellationError` if the person closes the prompt: offer the button again.
  public struct PasskeyStamper: Stamper {
    private let domain: String
    private let credentialIds: [Data]
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor

    /// The domain is the id of the relying party: the host that serves the association file. Without credential ids, the
    /// person chooses among the passkeys of the domain. The anchor is the window over which the system shows its prompt.
    public init(
      domain: String, credentialIds: [Data] = [],
      anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
    ) {
      self.domain = domain
      self.credentialIds = credentialIds
      self.anchor = anchor
    }

    public func stamp(_ body: Data) async throws -> (name: String, value: String) {
      try PasskeyStamp.header(try await assertion(for: PasskeyStamp.challenge(for: body)))
    }

    @MainActor
    private func assertion(for challenge: Data) async throws -> PasskeyAssertion {
      let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
        relyingPartyIdentifier: domain)
      let request = provider.createCredentialAssertionRequest(challenge: challenge)
      request.allowedCredentials = credentialIds.map {
        ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: $0)
      }
      let prompt = Prompt(anchor: anchor())
      return try await prompt.show(request)
    }
  }

  /// One prompt of the system. It keeps itself until it has called back, because the controller does not.
  @MainActor
  private final class Prompt: NSObject {
    private let anchor: ASPresentationAnchor
    private var waiting: CheckedContinuation<PasskeyAssertion, any Error>?
    private var itself: Prompt?

    init(anchor: ASPresentationAnchor) {
      self.anchor = anchor
    }

    func show(_ request: ASAuthorizationRequest) async throws -> PasskeyAssertion {
      try await withCheckedThrowingContinuation { continuation in
        waiting = continuation
        itself = self
        let controller = ASAuthorizationController(authorizationRequests: [request])
        controller.delegate = self
        controller.presentationContextProvider = self
        controller.performRequests()
      }
    }

    /// A continuation may be resumed only once.
    private func end(_ result: Result<PasskeyAssertion, any Error>) {
      waiting?.resume(with: result)
      waiting = nil
      itself = nil
    }
  }

  extension Prompt: ASAuthorizationControllerDelegate,
    ASAuthorizationControllerPresentationContextProviding
  {
    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor {
      anchor
    }

    func authorizationController(
      controller: ASAuthorizationController,
      didCompleteWithAuthorization authorization: ASAuthorization
    ) {
      guard
        let made = authorization.credential
          as? ASAuthorizationPlatformPublicKeyCredentialAssertion
      else { return end(.failure(ASAuthorizationError(.invalidResponse))) }
      end(
        .success(
          PasskeyAssertion(
            credentialId: made.credentialID,
            authenticatorData: made.rawAuthenticatorData,
            clientDataJSON: made.rawClientDataJSON,
            signature: made.signature)))
    }

    func authorizationController(
      controller: ASAuthorizationController, didCompleteWithError error: any Error
    ) {
      let isCancelled = (error as? ASAuthorizationError)?.code == .canceled
      end(.failure(isCancelled ? CancellationError() : error))
    }
  }
#endif
