internal import FoundationEssentials

extension TerminalProfile {
  /// Reads a profile.
  ///
  /// - Throws: `TerminalProfileError` with every problem of shape and value.
  public init(json octets: some Sequence<UInt8>) throws(TerminalProfileError) {
    let (profile, problems) = try Self.read(octets)
    let compiled = ProfileCompiler.compile(profile)
    // What stands in for something malformed is no second problem.
    let further = compiled.problems.filter { problem in
      !problems.contains { problem.path == $0.path || problem.path.hasPrefix($0.path + ".") }
    }
    guard (problems + further).isEmpty else { throw TerminalProfileError(problems + further) }
    self = profile
  }

  private static func read(
    _ octets: some Sequence<UInt8>
  ) throws(TerminalProfileError) -> (TerminalProfile, [TerminalProfileError.Problem]) {
    var problems: [TerminalProfileError.Problem] = []
    do {
      let document = try JSONDecoder().decode(JSONValue.self, from: Data(octets))
      let fitted = ProfileShape.profile.fit(document, at: "$", &problems)
      // The fitted document has the profile's shape, so this cannot fail for what was read above.
      return (try JSONDecoder().decode(TerminalProfile.self, from: try JSONEncoder().encode(fitted)), problems)
    } catch {
      throw TerminalProfileError([.init(path: "$", reason: "no JSON: \(Self.reason(error))")])
    }
  }

  private static func reason(_ error: any Error) -> String {
    guard case .dataCorrupted(let context)? = error as? DecodingError else { return "\(error)" }
    return context.underlyingError.map { "\($0)" } ?? context.debugDescription
  }
}
