/// The addresses of a track, each once, in the order in which its playlist or manifest first names
/// them.
struct AddressTable {
  private(set) var addresses: [String] = []
  private var places: [String: Int] = [:]
  private var size = 0
  /// The limit for the bytes of all addresses together. Variables and long base addresses let a
  /// small document make very long addresses.
  private let most: Int

  init(atMost most: Int) {
    self.most = most
  }

  /// Returns the position of an address in `addresses`, and adds the address if it is new.
  mutating func place(of address: String) throws(StreamError) -> Int {
    // Neighbouring segments often share an address, so the last address is compared first.
    if addresses.last == address { return addresses.count - 1 }
    if let known = places[address] { return known }
    size += address.utf8.count
    guard size <= most else { throw .tooLarge("addresses") }
    addresses.append(address)
    places[address] = addresses.count - 1
    return addresses.count - 1
  }
}
