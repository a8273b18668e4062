/// The allowance that all transfers of a client share. Belongs to the client's thread.
final class Meter {
  var allowance = Allowance(at: .now)
}
