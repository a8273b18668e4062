@main
struct Feedfs {
  static func main() {}
}
