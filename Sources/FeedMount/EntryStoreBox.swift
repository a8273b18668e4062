import NIOConcurrencyHelpers

/// Where a version finds the store that was made for it.
final class EntryStoreBox: Sendable {
  private let box = NIOLockedValueBox<EntryStore?>(nil)

  var value: EntryStore? {
    get { box.withLockedValue { $0 } }
    set { box.withLockedValue { $0 = newValue } }
  }
}
