/// Makes the optimiser believe that `value` is looked at, so that what computes it is not left out.
@inline(never)
func kept<Value>(_ value: Value) {
  withExtendedLifetime(value) {}
}
