/// Why a walk cannot go on: a sentence.
struct WalkFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
