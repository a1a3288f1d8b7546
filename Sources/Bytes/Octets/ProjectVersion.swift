/// The version of this package, which every program of it shows.
package enum ProjectVersion {
  /// Numbers with points, such as `0.2.0`.
  package static let number = "0.2.0"
}
