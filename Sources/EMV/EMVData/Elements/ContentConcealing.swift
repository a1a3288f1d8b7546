/// A value with account data whose description has none of them: `dump`, `Mirror`, interpolation and
/// `String(reflecting:)` show the description and no stored property.
public protocol ContentConcealing: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension ContentConcealing {
  /// The description.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
