internal import EMVData
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
    let text = Array(octets)
    let document: JSONValue
    do {
      document = try JSONDecoder().decode(JSONValue.self, from: Data(text))
    } catch {
      throw TerminalProfileError([.init(path: "$", reason: jsonFault(in: text))])
    }
    let fitted = ProfileShape.profile.fit(document, at: "$", &problems)
    do {
      return (try JSONDecoder().decode(TerminalProfile.self, from: try JSONEncoder().encode(fitted)), problems)
    } catch {
      // The fitted document has the profile's shape; the coder has a limit of its own.
      throw TerminalProfileError([.init(path: "$", reason: "not readable: \(error)")])
    }
  }
}
