@main struct Tap { static func main() {} }
