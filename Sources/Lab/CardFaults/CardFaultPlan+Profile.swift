internal import Documents
public import EMVCard
internal import JSON

extension CardFaultPlan {
  /// The plan of a profile; nil when the profile has no faults.
  ///
  /// - Throws: `CardProfileError` with all problems of the plan.
  public init?(of profile: CardProfile) throws(CardProfileError) {
    guard let faults = profile.faults, !faults.isEmpty else { return nil }
    try self.init(json: JSONValue(faults))
  }

  /// Compiles a profile into a card and checks its fault plan, which the card ignores.
  ///
  /// - Throws: `CardProfileError` with the problems of both, in the order of the profile.
  public static func checkedImage(json: [UInt8]) throws(CardProfileError) -> CardImage {
    let faults = problems(of: json)
    let image: CardImage
    do throws(CardProfileError) {
      image = try CardImage(json: json)
    } catch {
      throw CardProfileError(
        (error.problems + faults).sorted { ($0.position ?? .start) < ($1.position ?? .start) })
    }
    guard faults.isEmpty else { throw CardProfileError(faults) }
    return image
  }

  /// The problems of the plan in a profile. A text that is no profile has none: `CardImage` reports it.
  private static func problems(of json: [UInt8]) -> [CardProfileError.Problem] {
    guard json.count <= CardProfile.maximumCount, let profile = try? JSONValue(parsing: json), profile.members != nil
    else { return [] }
    var reader = ObjectReader(profile, at: "")
    _ = rules(&reader)
    reader.acceptUnknownKeys()
    return reader.finish().map { CardProfileError.Problem($0.path, $0.reason, at: $0.position) }
  }
}
