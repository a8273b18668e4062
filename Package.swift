// swift-tools-version: 6.2
import PackageDescription

let plain: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
  // Where libxml2 has its headers. Its package would link it, and it is loaded when it is needed.
  .unsafeFlags(["-Xcc", "-I/usr/include/libxml2"]),
]
/// For sources, and for tests that compute.
let strict =
  plain + [
    // Tests run in a debug build too, and many compute: without optimisation they take five times as long.
    .unsafeFlags(["-O"], .when(configuration: .debug)),
    // One build is for users and for tests. A function in a section of its own can be left out by the linker.
    .unsafeFlags(
      ["-enable-testing", "-Xfrontend", "-function-sections", "-Xfrontend", "-gline-tables-only"],
      .when(configuration: .release)),
  ]
/// For tests that mostly wait, or look into tables: to optimise them takes longer than to run them. Nothing imports
/// them, so what they declare is not looked through once more for that; and the index, by which the package manager
/// looks for tests of another kind, is without the library.
let quick =
  plain + [
    .unsafeFlags(
      [
        "-Onone", "-no-whole-module-optimization", "-enable-batch-mode",
        "-no-emit-module-separately", "-index-ignore-system-modules", "-num-threads", "0",
      ],
      .when(configuration: .release))
  ]
/// For targets that never touch a pointer: the compiler refuses unsafe constructs.
let pure = strict + [.strictMemorySafety()]

let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let parser: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
  name: "feedfs",
  products: [.executable(name: "feedfs", targets: ["feedfs"])],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
    .package(url: "https://github.com/LebJe/TOMLKit", exact: "0.6.0"),
  ],
  targets: [
    // Doors: a module map and one header each, no work.
    .systemLibrary(name: "CFuse", pkgConfig: "fuse3", providers: [.apt(["libfuse3-dev"])]),
    .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CXML", providers: [.apt(["libxml2-dev"])]),
    .systemLibrary(name: "CChecksum"),
    .systemLibrary(name: "CCrypto"),
    .systemLibrary(name: "CPattern"),
    .systemLibrary(name: "CLinux"),

    // Floor 0: words.
    .target(name: "Blocks", swiftSettings: pure),
    .target(name: "Quantities", swiftSettings: pure),
    .target(name: "Locks", swiftSettings: strict),
    .target(name: "Addresses", dependencies: ["CCurl"], swiftSettings: pure),
    .target(name: "Markup", dependencies: ["Addresses", "CXML"], swiftSettings: strict),
    .target(
      name: "Streams", dependencies: ["Addresses", "Blocks", "Markup", "CCrypto"],
      swiftSettings: pure),
    .target(
      name: "FeedReading",
      dependencies: ["Addresses", "Markup", "Quantities", "Streams", "CPattern"],
      swiftSettings: strict),
    .target(
      name: "Catalog",
      dependencies: ["Addresses", "FeedReading", "Markup", "Quantities", "Streams"],
      swiftSettings: pure),

    // Floor 1: the heart, and the doors to kernel, network, disk and shell.
    .target(
      name: "Filling", dependencies: ["Blocks", "Quantities", "Locks"], swiftSettings: pure),
    .target(
      name: "HTTP", dependencies: ["Addresses", "Blocks", "Quantities", "CCurl", "Locks"],
      swiftSettings: strict),
    .target(
      name: "Storage", dependencies: ["Blocks", "CChecksum", "CLinux", "Locks", system],
      swiftSettings: strict),
    .target(
      name: "Fuse", dependencies: ["Blocks", "CFuse", "Locks", system], swiftSettings: strict),
    .target(
      name: "Control",
      dependencies: [
        "Blocks", "FeedReading", "Markup",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      swiftSettings: strict),

    .target(
      name: "Settings",
      dependencies: [
        "Catalog", "FeedReading", "Markup", "Quantities",
        .product(name: "TOMLKit", package: "TOMLKit"),
      ],
      swiftSettings: strict),

    .target(
      name: "Playback", dependencies: ["Catalog", "FeedReading", "Markup", "Locks", system],
      swiftSettings: strict),

    // Between the doors and the mount: this process, and mounts as any process sees them.
    .target(
      name: "Host",
      dependencies: [
        "Addresses", "Blocks", "Control", "Fuse", "HTTP", "Storage", "CLinux", "Locks", system,
      ],
      swiftSettings: strict),

    // Floor 2: a mounted feed, above the world in which it is.
    .target(
      name: "World",
      dependencies: ["Filling", "Fuse", "HTTP", "Storage", "Locks", system],
      swiftSettings: strict),
    .target(
      name: "Resolving",
      dependencies: [
        "Addresses", "Blocks", "FeedReading", "Host", "HTTP", "Markup", "Storage", "Streams",
        "World", "Locks",
        system,
      ],
      swiftSettings: strict),
    .target(
      name: "StreamFiles",
      dependencies: [
        "Addresses", "Blocks", "FeedReading", "Filling", "HTTP", "Storage", "Streams", "World",
        "Locks",
      ],
      swiftSettings: strict),
    .target(
      name: "FeedMount",
      dependencies: [
        "Addresses", "Blocks", "Catalog", "Control", "FeedReading", "Filling", "Fuse", "Host",
        "HTTP", "Markup", "Quantities", "Resolving", "Storage", "StreamFiles", "Streams", "World",
        "CLinux", "Locks", system, logging,
      ],
      swiftSettings: strict),

    // Floor 3: the commands, and below them what they are made of.
    .target(
      name: "CommandTools",
      dependencies: [
        "Addresses", "Blocks", "Catalog", "Control", "FeedMount", "FeedReading", "Host", "HTTP",
        "Markup",
        "Playback", "Quantities", "Settings", "Storage", "CLinux", "Locks", system, logging, parser,
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "feedfs",
      dependencies: [
        "Addresses", "Blocks", "Catalog", "CommandTools", "Control", "FeedMount", "FeedReading",
        "Host", "HTTP", "Markup", "Playback", "Quantities", "Settings", system, parser,
      ],
      swiftSettings: strict),

    // What the tests, the demo and the benchmark need.
    .executableTarget(
      name: "testorigin", dependencies: ["Locks"], path: "Tests/TestOrigin",
      swiftSettings: strict),
    .target(
      name: "TestSupport", dependencies: ["Blocks", "Filling", "Locks"], path: "Tests/TestSupport",
      swiftSettings: strict),
    // What is measured by itself: `make microbench`.
    .executableTarget(
      name: "microbench",
      dependencies: [
        "Addresses", "Blocks", "CCurl", "Catalog", "FeedMount", "FeedReading", "Filling", "HTTP",
        "Storage", "TestSupport", "World", "Locks", logging, system,
      ],
      path: "Benchmarks/Micro", swiftSettings: strict),
    .testTarget(
      name: "BlocksTests", dependencies: ["Blocks", "TestSupport"], swiftSettings: quick),
    .testTarget(name: "QuantitiesTests", dependencies: ["Quantities"], swiftSettings: quick),
    .testTarget(name: "AddressesTests", dependencies: ["Addresses"], swiftSettings: quick),
    .testTarget(
      name: "StreamsTests", dependencies: ["Blocks", "Markup", "Streams", "TestSupport", "Locks"],
      swiftSettings: strict),
    .testTarget(
      name: "FeedReadingTests",
      dependencies: ["Addresses", "FeedReading", "Markup", "Streams", "TestSupport"],
      swiftSettings: quick),
    .testTarget(
      name: "CatalogTests", dependencies: ["Addresses", "Catalog", "FeedReading", "TestSupport"],
      swiftSettings: quick),
    .testTarget(
      name: "PlaybackTests", dependencies: ["Playback", "TestSupport"], swiftSettings: quick),
    .testTarget(
      name: "SettingsTests", dependencies: ["FeedReading", "Quantities", "Settings"],
      swiftSettings: quick),
    .testTarget(
      name: "FillingTests", dependencies: ["Blocks", "Filling", "TestSupport", "Locks"],
      swiftSettings: strict),
    .testTarget(
      name: "HTTPTests",
      dependencies: ["Addresses", "Blocks", "HTTP", "TestSupport", "testorigin", "Locks"],
      swiftSettings: quick),
    .testTarget(
      name: "StorageTests", dependencies: ["Blocks", "Storage", "TestSupport", "Locks", system],
      swiftSettings: quick),
    .testTarget(
      name: "SimulationTests",
      dependencies: [
        "Addresses", "Blocks", "Catalog", "Control", "FeedMount", "FeedReading", "Filling", "Fuse",
        "Host", "HTTP", "Resolving", "Storage", "StreamFiles", "Streams", "Quantities",
        "TestSupport", "World", "Locks", system, logging,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "FuseTests", dependencies: ["Blocks", "Fuse", "TestSupport", "Locks", system],
      swiftSettings: quick),
    .testTarget(
      name: "TestOriginTests", dependencies: ["Blocks", "TestSupport", "testorigin"],
      swiftSettings: quick),
    // The house itself: rooms, documents, language.
    .testTarget(name: "HouseTests", dependencies: ["TestSupport"], swiftSettings: quick),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "Addresses", "Blocks", "Catalog", "CommandTools", "Control", "FeedMount", "FeedReading",
        "Filling", "Host", "HTTP", "Playback", "Quantities", "Resolving", "Settings", "Storage",
        "TestSupport", "World", "Locks", system, parser,
      ],
      swiftSettings: quick),
    .testTarget(
      name: "PromiseTests",
      dependencies: [
        "Blocks", "Catalog", "CLinux", "CommandTools", "Control", "FeedMount", "FeedReading",
        "Fuse",
        "Host", "HTTP", "Quantities", "Settings", "TestSupport", "feedfs", "testorigin", "Locks",
        system,
        logging,
        parser,
      ],
      swiftSettings: quick),
  ],
  swiftLanguageModes: [.v6]
)
