package import FIDOUAF

/// A step of a ceremony that the protocol refuses.
package struct CeremonyError: Error, Hashable {
  /// The status that the client receives.
  package let status: UAFStatusCode
  /// A sentence for developers, without secrets.
  package let reason: String

  /// Creates a refusal.
  package init(_ status: UAFStatusCode, _ reason: String) { (self.status, self.reason) = (status, reason) }

  /// Turns an error of a message of the client into a refusal.
  package static func refusing<Value, Failure: Error>(_ read: () throws(Failure) -> Value) throws(CeremonyError)
    -> Value
  {
    do throws(Failure) {
      return try read()
    } catch {
      throw CeremonyError(.unacceptableContent, "\(error)")
    }
  }
}
