import 'dart:convert';
import 'dart:typed_data';

import 'package:keyhearth_example/keyhearth.dart';
import 'package:test/test.dart';

// A body, and a stamp over it that another program made (packages/crypto/src/vectors).
const body = '{"organizationId":"11111111-2222-4333-8444-555555555555"}';
const challenge =
    'ZDg1NjJhMTQ5OTBhNTNkMzk3MDRhYzcyNWYyYjg4MzJkMDMwOWIwMDVhNjI5ZmYwMmY4NDNiNDJiODQ2YjNlYQ';
const clientData =
    '{"type":"webauthn.get","challenge":"ZDg1NjJhMTQ5OTBhNTNkMzk3MDRhYzcyNWYyYjg4MzJkMDMwOWIwMDVhNjI5ZmYwMmY4NDNiNDJiODQ2YjNlYQ","origin":"https://app.example.com","crossOrigin":false}';
const authenticatorData = 'KAWYKbEFHwTvAxGQZ8DOCeBSd2EokPjgh08djs4a4DQFAAAABw';
const credentialId = '6kHtPPqRTKaLms_L0xFKpw';
const signature =
    'MEQCIDhSeL2PAeT5wB-b07-fGdht4M7BuWm5V7Cnk0K6H0PIAiAuwGK26MvjH4qX-gcRPhnnuCZbg_d-6To0D-nW5vICiw';

void main() {
  final bytes = Uint8List.fromList(utf8.encode(body));
  final clientDataJson = base64Url.encode(utf8.encode(clientData)).replaceAll('=', '');

  PasskeyStamper stamperOf(
    Map<String, dynamic>? answer, [
    void Function(Map<String, Object?>)? onAsk,
  ]) =>
      PasskeyStamper(
        domain: 'app.example.com',
        credentialIds: const [credentialId],
        ask: (options) async {
          onAsk?.call(options);
          return answer;
        },
      );

  test('a stamp has the form of the vector', () async {
    final asked = <Map<String, Object?>>[];
    final answer = {
      'id': '$credentialId==',
      'response': {
        'authenticatorData': authenticatorData,
        'clientDataJSON': clientDataJson,
        'signature': signature,
      },
    };
    final stamp = await stamperOf(answer, asked.add).stamp(bytes);
    expect(stamp.name, 'X-Stamp-Webauthn');
    expect(jsonDecode(stamp.value), {
      'authenticatorData': authenticatorData,
      'clientDataJson': clientDataJson,
      'credentialId': credentialId,
      'signature': signature,
    });
    expect(asked.single['challenge'], challenge);
    expect(asked.single['rpId'], 'app.example.com');
  });

  test('a closed prompt, and an answer that lacks something, throw', () {
    expect(stamperOf(null).stamp(bytes), throwsA(isA<PromptClosed>()));
    for (final answer in <Map<String, dynamic>>[
      {},
      {'id': credentialId, 'response': <String, dynamic>{}},
    ]) {
      expect(stamperOf(answer).stamp(bytes), throwsA(isA<InvalidCredential>()));
    }
  });
}
