// swift-tools-version: 5.9
import PackageDescription

let package = Package(
  name: "KeyhearthExample",
  platforms: [.macOS(.v13), .iOS(.v16)],
  products: [.library(name: "Keyhearth", targets: ["Keyhearth"])],
  dependencies: [
    // On Apple's platforms this is CryptoKit. Elsewhere it brings its own implementation.
    .package(url: "https://github.com/apple/swift-crypto.git", from: "3.0.0")
  ],
  targets: [
    .target(
      name: "Keyhearth", dependencies: [.product(name: "Crypto", package: "swift-crypto")]),
    .executableTarget(name: "Example", dependencies: ["Keyhearth"]),
    .testTarget(
      name: "KeyhearthTests",
      dependencies: ["Keyhearth", .product(name: "Crypto", package: "swift-crypto")]),
  ]
)
