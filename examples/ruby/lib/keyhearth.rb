# frozen_string_literal: true

# A small client of a Keyhearth service. It needs Ruby 3.1 or newer and nothing but its standard library.
module Keyhearth
end

require_relative "keyhearth/errors"
require_relative "keyhearth/api_key"
require_relative "keyhearth/client"
