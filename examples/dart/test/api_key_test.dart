import 'dart:convert';
import 'dart:typed_data';

import 'package:keyhearth_example/keyhearth.dart';
import 'package:test/test.dart';

// A P-256 key, a body, and a stamp over it that another program made (packages/crypto/src/vectors).
const publicKey = '028343586dc2b636d56d31ec9e14d4c6a8001eff7fba73a4d766bf56030a39b8b5';
const privateKey = '4d9df9b0201b327a9914d70131ac889f36e8ada655fa409a876821b81a374ab9';
const body = '{"organizationId":"11111111-2222-4333-8444-555555555555"}';
const signature = '3045022100ef84d393e9b1ff18ecba58a1fb8f75b58e1c87e15074f315094d964f87dc2094'
    '022038722e67dbaab4b7b84d1e55be4ab8f0f1f88ca4e09132517685f7b6c42bd87c';

void main() {
  test('a stamp is the one of the vector', () {
    final key = ApiKey(publicKey: publicKey, privateKey: privateKey);
    final stamp = key.stamp(Uint8List.fromList(utf8.encode(body)));
    expect(stamp.name, 'X-Stamp');
    // Nonces are deterministic (RFC 6979), so the signature is equal and not only valid.
    expect(jsonDecode(utf8.decode(base64Url.decode(base64Url.normalize(stamp.value)))), {
      'publicKey': publicKey,
      'scheme': 'SIGNATURE_SCHEME_TK_API_P256',
      'signature': signature,
    });
  });

  test('a key must be one P-256 pair', () {
    for (final (public, private) in [
      ('03${publicKey.substring(2)}', privateKey),
      (publicKey.toUpperCase(), privateKey),
      (publicKey, privateKey.substring(2)),
      (publicKey, '00$privateKey'),
      (publicKey, '0' * 64),
      (publicKey, 'z' * 64),
    ]) {
      expect(
        () => ApiKey(publicKey: public, privateKey: private),
        throwsA(isA<InvalidCredential>().having((e) => e.message, 'message', isNot(contains(private)))),
      );
    }
  });
}
