package import Addresses

/// An address that the user typed. Its credentials and header fields go to its origin, and to no
/// other.
package struct TypedAddress: Hashable, Sendable {
  package let address: WebAddress
  /// User name and password: those in the address, or else those that the user gave separately; nil
  /// if there are none.
  let credentials: WebAddress.Credentials?
  /// Header fields that go with requests to this origin.
  let fields: [HeaderField]

  package init(
    _ address: WebAddress, user: String? = nil, password: String = "", fields: [HeaderField] = []
  ) {
    self.address = address
    self.fields = fields
    let given = user.map {
      WebAddress.Credentials(user: $0, password: password, origin: address.origin)
    }
    credentials = address.credentials ?? given
  }
}
