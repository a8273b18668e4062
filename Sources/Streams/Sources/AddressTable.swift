/// Addresses in the order in which they were named first, each once.
struct AddressTable {
  private(set) var addresses: [String] = []
  private var places: [String: Int] = [:]
  private var size = 0
  /// The most bytes of all addresses. Variables and long bases can make many out of few.
  private let most: Int

  init(atMost most: Int) {
    self.most = most
  }

  /// Returns the place of an address, and adds it if it is new.
  mutating func place(of address: String) throws(StreamError) -> Int {
    // Nearly every segment has its own address, or that of the one before.
    if addresses.last == address { return addresses.count - 1 }
    if let known = places[address] { return known }
    size += address.utf8.count
    guard size <= most else { throw .tooLarge("addresses") }
    addresses.append(address)
    places[address] = addresses.count - 1
    return addresses.count - 1
  }
}
