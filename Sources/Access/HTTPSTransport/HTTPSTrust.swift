/// Which certificates of servers are trusted. In each case but `.unverified`, the chain, the validity and the host name are
/// verified.
public enum HTTPSTrust: Hashable, Sendable {
  /// Those of the authorities of this machine.
  case system
  /// Those of the authorities in a file in PEM, and of no others.
  case authorities(file: String)
  #if DebugFlavour
    /// Every certificate. Only a build with the trait `DebugFlavour` has this case.
    case unverified
  #endif

  /// What a program trusts that has no file of authorities: `.system`, and every certificate in a build with the trait
  /// `DebugFlavour`.
  public static var standard: HTTPSTrust {
    #if DebugFlavour
      .unverified
    #else
      .system
    #endif
  }
}

/// A file of authorities that cannot be used.
public struct HTTPSTrustError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file and the reason.
  public let description: String
}
