/// Makes the optimiser treat `value` as used, and so keep the code that computes it.
@inline(never)
func kept<Value>(_ value: Value) {
  withExtendedLifetime(value) {}
}
