# frozen_string_literal: true

require "minitest/autorun"
require "tempfile"
require_relative "../lib/keyhearth"

class StampTest < Minitest::Test
  # A P-256 key, a body, and a stamp over it that another program made (packages/crypto/src/vectors).
  PUBLIC_KEY = "028343586dc2b636d56d31ec9e14d4c6a8001eff7fba73a4d766bf56030a39b8b5"
  PRIVATE_KEY = "4d9df9b0201b327a9914d70131ac889f36e8ada655fa409a876821b81a374ab9"
  BODY = '{"organizationId":"11111111-2222-4333-8444-555555555555"}'
  SIGNATURE = "3045022100ef84d393e9b1ff18ecba58a1fb8f75b58e1c87e15074f315094d964f87dc2094022038722e67dbaab4b7" \
              "b84d1e55be4ab8f0f1f88ca4e09132517685f7b6c42bd87c"

  def verifies?(signature, body)
    group = OpenSSL::PKey::EC::Group.new("prime256v1")
    point = OpenSSL::PKey::EC::Point.new(group, OpenSSL::BN.new(PUBLIC_KEY, 16))
    algorithm = OpenSSL::ASN1::Sequence(["id-ecPublicKey", "prime256v1"].map { |id| OpenSSL::ASN1::ObjectId(id) })
    bits = OpenSSL::ASN1::BitString(point.to_octet_string(:uncompressed))
    key = OpenSSL::PKey.read(OpenSSL::ASN1::Sequence([algorithm, bits]).to_der)
    key.verify("SHA256", [signature].pack("H*"), body)
  end

  def test_a_stamp_verifies
    name, value = Keyhearth::ApiKey.new(public_key: PUBLIC_KEY, private_key: PRIVATE_KEY).stamp(BODY)
    assert_equal "X-Stamp", name
    assert_match(/\A[A-Za-z0-9_-]+\z/, value)
    stamp = JSON.parse(value.tr("-_", "+/").unpack1("m"))
    assert_equal %w[publicKey scheme signature], stamp.keys.sort
    assert_equal PUBLIC_KEY, stamp["publicKey"]
    assert_equal "SIGNATURE_SCHEME_TK_API_P256", stamp["scheme"]
    [stamp["signature"], SIGNATURE].each do |signature|
      assert verifies?(signature, BODY)
      refute verifies?(signature, "#{BODY}\n")
    end
  end

  def test_a_key_must_be_one_p256_pair
    order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
    [
      ["03#{PUBLIC_KEY[2..]}", PRIVATE_KEY],
      [PUBLIC_KEY.upcase, PRIVATE_KEY],
      [PUBLIC_KEY, PRIVATE_KEY[2..]],
      [PUBLIC_KEY, "00#{PRIVATE_KEY}"],
      [PUBLIC_KEY, "#{PRIVATE_KEY}\n"],
      [PUBLIC_KEY, "0" * 64],
      [PUBLIC_KEY, order],
      [PUBLIC_KEY, "z" * 64]
    ].each do |public_key, private_key|
      error = assert_raises(Keyhearth::InvalidCredential) { Keyhearth::ApiKey.new(public_key:, private_key:) }
      refute_includes error.message, private_key
    end
  end

  def test_a_key_shows_its_public_half_only
    shown = Keyhearth::ApiKey.new(public_key: PUBLIC_KEY, private_key: PRIVATE_KEY).inspect
    assert_includes shown, PUBLIC_KEY
    refute_includes shown, PRIVATE_KEY
  end

  def test_a_key_file_is_read
    assert_raises(Keyhearth::InvalidCredential) { Keyhearth::KeyFile.read("/nowhere/key.json") }
    file = { organizationId: "org", apiPublicKey: PUBLIC_KEY, apiPrivateKey: PRIVATE_KEY }
    assert_equal "org", read(JSON.generate(file)).organization_id
    [PRIVATE_KEY, JSON.generate([PRIVATE_KEY]), JSON.generate({ **file, apiPublicKey: 1 })].each do |text|
      error = assert_raises(Keyhearth::InvalidCredential) { read(text) }
      refute_includes error.full_message, PRIVATE_KEY
    end
  end

  def read(text)
    Tempfile.create do |file|
      file.write(text)
      file.close
      Keyhearth::KeyFile.read(file.path)
    end
  end
end
