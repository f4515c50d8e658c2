# frozen_string_literal: true

require "json"
require "openssl"

module Keyhearth
  # Stamps requests with a P-256 API key. Every object with the same `stamp` can take its place.
  class ApiKey
    CURVE = OpenSSL::PKey::EC::Group.new("prime256v1")

    attr_reader :public_key

    # Takes both halves in hex, as the key file has them: 66 characters of the compressed public key and 64
    # of the private key.
    def initialize(public_key:, private_key:)
      unless private_key.match?(/\A\h{64}\z/)
        raise InvalidCredential, "the private key must be 64 hex characters, as apiPrivateKey in the key file"
      end

      scalar = OpenSSL::BN.new(private_key, 16)
      if scalar.zero? || scalar >= CURVE.order
        raise InvalidCredential, "the private key is not a P-256 key: it is zero or too large"
      end

      point = CURVE.generator.mul(scalar)
      unless public_key == point.to_octet_string(:compressed).unpack1("H*")
        raise InvalidCredential, "the public key does not belong to the private key: " \
                                 "give both halves of one P-256 API key, in lower-case hex"
      end
      @public_key = public_key
      @key = OpenSSL::PKey.read(sec1(private_key, point))
    end

    # Signs the SHA-256 of the body. Returns the name and the value of the header.
    def stamp(body)
      stamp = {
        publicKey: public_key,
        scheme: "SIGNATURE_SCHEME_TK_API_P256",
        signature: @key.sign("SHA256", body).unpack1("H*")
      }
      ["X-Stamp", [JSON.generate(stamp)].pack("m0").tr("+/", "-_").delete("=")]
    end

    # Shows the public half only.
    def inspect
      "#<#{self.class} #{public_key}>"
    end

    private

    # The form of RFC 5915: OpenSSL 3 reads keys, but does not put them together.
    def sec1(private_key, point)
      OpenSSL::ASN1::Sequence([
        OpenSSL::ASN1::Integer(1),
        OpenSSL::ASN1::OctetString([private_key].pack("H*")),
        OpenSSL::ASN1::ObjectId(CURVE.curve_name, 0, :EXPLICIT),
        OpenSSL::ASN1::BitString(point.to_octet_string(:uncompressed), 1, :EXPLICIT)
      ]).to_der
    end
  end

  # What the first start of the service writes to data/root-api-key.json.
  KeyFile = Struct.new(:organization_id, :api_key, keyword_init: true) do
    # Reads an API key and the organization that it belongs to.
    def self.read(path)
      file = parse(path)
      organization_id, public_key, private_key =
        %w[organizationId apiPublicKey apiPrivateKey].map do |name|
          file[name].is_a?(String) ? file[name] : raise(InvalidCredential, "#{path} has no text in #{name}")
        end
      new(organization_id:, api_key: ApiKey.new(public_key:, private_key:))
    end

    def self.parse(path)
      file = begin
        JSON.parse(File.read(path))
      rescue SystemCallError => e
        raise InvalidCredential, "cannot read #{path}: #{e.class.name.split("::").last}"
      rescue JSON::ParserError
        nil
      end
      return file if file.is_a?(Hash)

      # Raised here, without a cause: the parser's message quotes the file, which holds a private key.
      raise InvalidCredential, "#{path} is not a JSON object"
    end
    private_class_method :parse
  end
end
