import Foundation

/// The runs of `tools/test --soak`, which take longer than those of CI.
public enum Soak {
  /// Whether the environment has CONTACTLESS_SOAK.
  public static let isOn = ProcessInfo.processInfo.environment["CONTACTLESS_SOAK"] != nil
}
