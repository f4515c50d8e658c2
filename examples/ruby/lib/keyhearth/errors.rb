# frozen_string_literal: true

module Keyhearth
  # The base of all errors of this library.
  class Error < StandardError; end

  # The API key cannot be used. The message never shows it.
  class InvalidCredential < Error; end

  # There was no answer, or not in time.
  class Unreachable < Error; end

  # What answered does not speak this API, or answered something else than it was asked.
  class UnexpectedAnswer < Error
    def initialize(url, reason)
      super("unexpected answer from #{url}: #{reason}; check the base URL")
    end
  end

  # Why the service refused a request, or why an activity failed. `code` is stable, such as FIELD_INVALID;
  # `field` is the path of the wrong field, if one is wrong; `docs` is the page that explains the code, as
  # a path of the site.
  Reason = Struct.new(:code, :message, :field, :docs, keyword_init: true) do
    # Reads the shape that answers and failures share. Without a message it is none.
    def self.parse(status)
      return unless status.is_a?(Hash) && status["message"].is_a?(String)

      # The first detail with a code is for programs. Details of other forms may come before it.
      details = Array(status["details"]).grep(Hash)
      detail = details.find { |each| each["code"].is_a?(String) } || {}
      code, field, docs = detail.values_at("code", "field", "docs")
      new(code:, field:, docs:, message: status["message"])
    end

    def to_s
      text = [code, message].compact.join(": ")
      text += " (field #{field})" if field && !message.include?(field)
      docs ? "#{text}; see #{docs}" : text
    end
  end

  # The service refused the request. Branch on `reason.code`.
  class Refused < Error
    attr_reader :http_status, :reason

    def initialize(http_status, reason)
      super("the service answered #{http_status} #{reason}")
      @http_status = http_status
      @reason = reason
    end
  end

  # An activity did not complete. `activity` is how it stands.
  class ActivityError < Error
    attr_reader :activity

    def initialize(activity, message)
      super("activity #{activity.id} #{message}")
      @activity = activity
    end
  end

  # Others must approve the activity. Give them its fingerprint.
  class ConsensusNeeded < ActivityError
    def initialize(activity)
      super(activity, "needs more approvals of fingerprint #{activity.fingerprint}")
    end
  end

  # Somebody whose vote counts rejected the activity.
  class Rejected < ActivityError
    def initialize(activity)
      super(activity, "was rejected")
    end
  end

  # The activity was allowed, but could not be done. Branch on `reason.code`.
  class ActivityFailed < ActivityError
    attr_reader :reason

    def initialize(activity)
      @reason = Reason.parse(activity.json["failure"]) || Reason.new(message: "no reason given")
      super(activity, "failed #{@reason}")
    end
  end

  # The activity did not end in time, or stopped at a status that is not known here.
  class Unfinished < ActivityError
    def initialize(activity)
      super(activity, "stopped at #{activity.status}: read it again with get_activity")
    end
  end
end
