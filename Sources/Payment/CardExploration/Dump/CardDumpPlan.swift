/// What a `CardDump` reads.
public struct CardDumpPlan: Equatable, Sendable {
  /// Names of applications beside those of the directory, 5 to 16 bytes each.
  public var applications: [[UInt8]]
  /// Whether GET PROCESSING OPTIONS is sent, with an amount of zero.
  public var sendsOptions: Bool

  /// Creates a plan.
  public init(applications: [[UInt8]] = [], sendsOptions: Bool = false) {
    (self.applications, self.sendsOptions) = (applications, sendsOptions)
  }
}
