# frozen_string_literal: true

require "digest"
require "json"
require "net/http"
require "openssl"
require "uri"

module Keyhearth
  # What became of a submission. Only ACTIVITY_STATUS_COMPLETED has a result. The fingerprint is "sha256:"
  # and the SHA-256 of the request's body in hex; approvers name the activity by it. `json` is everything
  # that the service answered about it.
  Activity = Struct.new(:id, :organization_id, :status, :fingerprint, :json, keyword_init: true)

  # A completed activity and the fields of its result.
  Submitted = Struct.new(:activity, :result, keyword_init: true)

  # Acts with one credential in one organization.
  class Client
    MAX_RETRIES = 3
    MAX_RETRY_SECONDS = 10
    MAX_ANSWER_BYTES = 32 << 20
    IN_PROGRESS = %w[ACTIVITY_STATUS_CREATED ACTIVITY_STATUS_PENDING].freeze
    VOTES = %w[ACTIVITY_TYPE_APPROVE_ACTIVITY ACTIVITY_TYPE_REJECT_ACTIVITY].freeze
    private_constant :IN_PROGRESS, :VOTES

    attr_reader :organization_id

    # One request may wait `timeout` seconds for each part of its answer. Activities that outlive their
    # request are read every `poll_interval` seconds, for `poll_timeout` seconds.
    def initialize(base_url:, organization_id:, stamper:, timeout: 30, poll_interval: 0.5, poll_timeout: 60)
      @base_url = parse_base_url(base_url)
      @organization_id = organization_id
      @stamper = stamper
      @timeout = timeout
      @poll_interval = poll_interval
      @poll_timeout = poll_timeout
    end

    # Asks the endpoint `name`, such as `whoami`, and returns its answer.
    def query(name, parameters = {})
      post("/public/v1/query/#{name}", JSON.generate({ organizationId: organization_id, **parameters }))
    end

    # Asks for an activity of the given type at the endpoint `name`, and waits until it ends. Raises an
    # ActivityError if it ends, or stops, without a result.
    def submit(name, type, parameters)
      path = "/public/v1/submit/#{name}"
      timestamp = Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond).to_s
      body = JSON.generate({ type:, timestampMs: timestamp, organizationId: organization_id, parameters: })
      activity = activity(path, body)
      # The answer must be about these bytes. The answer to a vote is about the activity that was voted on.
      expected = VOTES.include?(type) ? parameters[:fingerprint] : "sha256:#{Digest::SHA256.hexdigest(body)}"
      raise unexpected(path, "the activity of another request") unless activity.fingerprint == expected

      activity = completed(poll(activity))
      Submitted.new(activity:, result: result(path, activity))
    end

    private

    def parse_base_url(text)
      url = URI.parse(text)
      # Some clients of this API want its path as part of the address.
      return text.sub(%r{(/public/v1)?/*\z}, "") if url.is_a?(URI::HTTP) && url.host && !url.host.empty?

      raise URI::InvalidURIError
    rescue URI::InvalidURIError
      raise ArgumentError, "the base URL must be like https://keys.example.com: got #{text.inspect}"
    end

    # Reads the activity until it ends, or time is up.
    def poll(activity)
      path = "/public/v1/query/get_activity"
      give_up_at = now + @poll_timeout
      while IN_PROGRESS.include?(activity.status) && now + @poll_interval <= give_up_at
        sleep @poll_interval
        body = { organizationId: activity.organization_id, activityId: activity.id }
        answer = activity(path, JSON.generate(body))
        same = answer.id == activity.id && answer.fingerprint == activity.fingerprint
        raise unexpected(path, "another activity") unless same

        activity = answer
      end
      activity
    end

    def completed(activity)
      case activity.status
      when "ACTIVITY_STATUS_COMPLETED" then activity
      when "ACTIVITY_STATUS_CONSENSUS_NEEDED" then raise ConsensusNeeded, activity
      when "ACTIVITY_STATUS_REJECTED" then raise Rejected, activity
      when "ACTIVITY_STATUS_FAILED" then raise ActivityFailed, activity
      else raise Unfinished, activity
      end
    end

    def activity(path, body)
      json = post(path, body)["activity"]
      members = json.is_a?(Hash) ? json.values_at("id", "organizationId", "status", "fingerprint") : []
      raise unexpected(path, "no activity") unless members.grep(String).size == 4

      id, organization_id, status, fingerprint = members
      Activity.new(id:, organization_id:, status:, fingerprint:, json:)
    end

    # The only member of the result, which is named after the type.
    def result(path, activity)
      members = activity.json["result"].is_a?(Hash) ? activity.json["result"].values : []
      return members.first if members.size == 1 && members.first.is_a?(Hash)

      raise unexpected(path, "a completed activity without a result")
    end

    # Stamps the body once. If the service is busy and says when to come back, it sends the same bytes
    # again: they are the same activity, which the service executes once.
    def post(path, body)
      header, stamp = @stamper.stamp(body)
      headers = { "Content-Type" => "application/json", header => stamp }
      retries = 0
      loop do
        status, retry_after, answer = send_once(path, body, headers)
        if status == 200
          return answer if answer.is_a?(Hash)

          raise unexpected(path, "not a JSON object")
        end
        delay = retry_seconds(status, retry_after)
        raise refusal(path, status, answer) if delay.nil? || retries == MAX_RETRIES

        sleep delay
        retries += 1
      end
    end

    # Net::HTTP follows no redirect, so no other host is shown the stamped request.
    def send_once(path, body, headers)
      url = URI.parse(@base_url + path)
      timeouts = { open_timeout: @timeout, read_timeout: @timeout, write_timeout: @timeout, max_retries: 0 }
      Net::HTTP.start(url.host, url.port, use_ssl: url.scheme == "https", **timeouts) do |http|
        http.request(Net::HTTP::Post.new(url, headers), body) do |response|
          return response.code.to_i, response["Retry-After"], parse(read(path, response))
        end
      end
    rescue SystemCallError, SocketError, IOError, Timeout::Error, OpenSSL::SSL::SSLError,
           Net::ProtocolError, Net::HTTPBadResponse => e
      raise Unreachable, "cannot reach #{@base_url}: #{e.message}"
    end

    def read(path, response)
      text = +""
      response.read_body do |part|
        text << part
        raise unexpected(path, "more than 32 MiB") if text.bytesize > MAX_ANSWER_BYTES
      end
      text
    end

    def parse(text)
      JSON.parse(text)
    rescue JSON::ParserError, EncodingError
      nil
    end

    def refusal(path, status, answer)
      reason = Reason.parse(answer)
      return Refused.new(status, reason) if reason

      unexpected(path, "status #{status} without an error message")
    end

    def retry_seconds(status, retry_after)
      return unless [429, 503].include?(status) && retry_after&.match?(/\A\d{1,5}\z/)

      seconds = retry_after.to_i
      seconds if seconds <= MAX_RETRY_SECONDS
    end

    def unexpected(path, reason)
      UnexpectedAnswer.new(@base_url + path, reason)
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
