import NIOConcurrencyHelpers

/// Of which files something had to go.
final class EvictedNames: Sendable {
  private let box = NIOLockedValueBox<[String]>([])

  var names: [String] { box.withLockedValue { $0 } }

  func note(_ name: String) {
    box.withLockedValue { $0.append(name) }
  }
}
