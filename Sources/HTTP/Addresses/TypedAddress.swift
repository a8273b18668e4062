package import Addresses

/// An address that the user typed. Its credentials and header fields are sent only to its origin.
package struct TypedAddress: Hashable, Sendable {
  package let address: WebAddress
  /// User name and password: those in the address, or else those that the user gave separately; nil
  /// if there are none.
  let credentials: WebAddress.Credentials?
  /// The header fields that are sent with each request to the origin of `address`.
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
