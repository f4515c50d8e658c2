import 'dart:async';
import 'dart:convert';
import 'dart:typed_data';

import 'package:pointycastle/export.dart';

import 'errors.dart';

/// Puts a signature over a request's body into a header.
abstract interface class Stamper {
  /// The name and the value of the header. It may ask a person, so it can take minutes.
  FutureOr<({String name, String value})> stamp(Uint8List body);
}

/// Stamps requests with a P-256 API key.
final class ApiKey implements Stamper {
  ApiKey._(this.publicKey, this._signer);

  /// Takes both halves of a P-256 API key in hex, as the key file has them: 66 characters of the
  /// compressed public key and 64 of the private key.
  factory ApiKey({required String publicKey, required String privateKey}) {
    if (!RegExp(r'^[0-9a-fA-F]{64}$').hasMatch(privateKey)) {
      throw const InvalidCredential(
        'the private key must be 64 hex characters, as apiPrivateKey in the key file',
      );
    }
    final curve = ECCurve_prime256v1();
    final scalar = BigInt.parse(privateKey, radix: 16);
    if (scalar == BigInt.zero || scalar >= curve.n) {
      throw const InvalidCredential(
        'the private key is not a P-256 key: it is zero or too large',
      );
    }
    final point = (curve.G * scalar)!.getEncoded();
    if (publicKey != hexOf(point)) {
      throw const InvalidCredential(
        'the public key does not belong to the private key: give both halves of one P-256 API key, '
        'in lower-case hex',
      );
    }
    // With an HMAC, the nonces are deterministic (RFC 6979) and need no random numbers.
    final signer = ECDSASigner(SHA256Digest(), HMac(SHA256Digest(), 64))
      ..init(true, PrivateKeyParameter<ECPrivateKey>(ECPrivateKey(scalar, curve)));
    return ApiKey._(publicKey, signer);
  }

  final String publicKey;
  final ECDSASigner _signer;

  /// Signs the SHA-256 of the body.
  @override
  ({String name, String value}) stamp(Uint8List body) {
    final signature = _signer.generateSignature(body) as ECSignature;
    final stamp = jsonEncode({
      'publicKey': publicKey,
      'scheme': 'SIGNATURE_SCHEME_TK_API_P256',
      'signature': hexOf(derOf(signature)),
    });
    return (name: 'X-Stamp', value: base64Url.encode(utf8.encode(stamp)).replaceAll('=', ''));
  }
}

String hexOf(List<int> bytes) =>
    bytes.map((byte) => byte.toRadixString(16).padLeft(2, '0')).join();

/// A sequence of two integers (X.690). Each is as short as possible, and never negative.
List<int> derOf(ECSignature signature) {
  final body = [..._integer(signature.r), ..._integer(signature.s)];
  return [0x30, body.length, ...body];
}

List<int> _integer(BigInt value) {
  var digits = value.toRadixString(16);
  if (digits.length.isOdd) digits = '0$digits';
  final bytes = [
    for (var i = 0; i < digits.length; i += 2) int.parse(digits.substring(i, i + 2), radix: 16),
  ];
  if (bytes.first >= 0x80) bytes.insert(0, 0);
  return [0x02, bytes.length, ...bytes];
}
