import 'dart:convert';
import 'dart:typed_data';

import 'package:crypto/crypto.dart' show sha256;

import 'api_key.dart';
import 'errors.dart';

/// Asks the phone for an assertion by a passkey. [options] and the answer are those of WebAuthn as JSON, with bytes in
/// base64url, as Android's Credential Manager has them. Null if the person closed the prompt.
typedef AskPasskey = Future<Map<String, dynamic>?> Function(Map<String, Object?> options);

/// Stamps with a passkey of the phone, so the person sees a prompt for each stamp. To ask only once, stamp the login of a
/// session with it.
final class PasskeyStamper implements Stamper {
  /// [domain] is the id of the relying party: the host that names the app in its two files. Without
  /// [credentialIds], in base64url, the person chooses among the passkeys of the domain.
  const PasskeyStamper({
    required this.domain,
    required AskPasskey ask,
    this.credentialIds = const [],
  }) : _ask = ask;

  final String domain;
  final List<String> credentialIds;
  final AskPasskey _ask;

  /// Throws [PromptClosed] if the person closes the prompt, and [InvalidCredential] if the answer lacks something.
  @override
  Future<({String name, String value})> stamp(Uint8List body) async {
    final answer = await _ask({
      'challenge': challengeFor(body),
      'rpId': domain,
      'userVerification': 'preferred',
      'timeout': 300000,
      'allowCredentials': [
        for (final id in credentialIds) {'type': 'public-key', 'id': id},
      ],
    });
    if (answer == null) throw const PromptClosed();
    final response = answer['response'];
    if (response is! Map<String, dynamic>) {
      throw const InvalidCredential('the phone answered without a response');
    }
    final stamp = jsonEncode({
      'authenticatorData': _bytes(response, 'authenticatorData'),
      'clientDataJson': _bytes(response, 'clientDataJSON'),
      'credentialId': _bytes(answer, 'id'),
      'signature': _bytes(response, 'signature'),
    });
    return (name: 'X-Stamp-Webauthn', value: stamp);
  }

  /// What the passkey signs: the hex digits of the body's SHA-256, as text, in base64url.
  static String challengeFor(Uint8List body) =>
      base64Url.encode(utf8.encode('${sha256.convert(body)}')).replaceAll('=', '');
}

/// A member in base64url without padding. Some plugins answer with padding.
String _bytes(Map<String, dynamic> from, String name) {
  final text = from[name];
  if (text is String && RegExp(r'^[A-Za-z0-9_-]+=*$').hasMatch(text)) {
    return text.replaceAll('=', '');
  }
  throw InvalidCredential('the phone answered without $name in base64url');
}
