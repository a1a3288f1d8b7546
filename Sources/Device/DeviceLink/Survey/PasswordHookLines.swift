internal import Foundation

/// The lines of the password hook of `tap-device` in the service files of PAM.
enum PasswordHookLines: Equatable, Sendable {
  /// Before and after pam_unix, in the file of this path.
  case both(String)
  /// One is missing, or in the wrong place.
  case partial(String)
  /// In no file.
  case absent

  /// Reads the files of a folder that this program may read.
  init(in folder: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    self = .absent
    for name in names.sorted() {
      let path = "\(folder)/\(name)"
      guard let content = FileManager.default.contents(atPath: path) else { continue }
      let state = Self(of: String(decoding: content, as: UTF8.self), at: path)
      if state == .absent { continue }
      self = state
      if case .partial = state { return }
    }
  }

  init(of text: String, at path: String) {
    let stack = text.split(separator: "\n").filter { $0.hasPrefix("password") || $0.hasPrefix("-password") }
    let hooks = stack.indices.filter { stack[$0].contains("password-hook") }
    let before = hooks.first { !stack[$0].contains("--after") }
    let after = hooks.last { stack[$0].contains("--after") }
    let modules = stack.indices.filter { stack[$0].contains("pam_unix.so") }
    guard !hooks.isEmpty else {
      self = .absent
      return
    }
    guard let before, let after, let first = modules.first, let last = modules.last, before < first, last < after,
      // Such a module ends the stack, and no line after it runs.
      !stack[last].contains(" sufficient "), !stack[last].contains("success=done")
    else {
      self = .partial(path)
      return
    }
    self = .both(path)
  }

  var finding: DeviceFinding {
    switch self {
    case .both(let path):
      DeviceFinding(.hook, .works, "changes of the passcode are recorded, before and after them, by lines in \(path)")
    case .partial(let path):
      DeviceFinding(
        .hook, .missing,
        "\(path) does not run the password hook both before and after pam_unix: \(Self.consequence)",
        remedy: Self.remedy)
    case .absent:
      DeviceFinding(
        .hook, .missing, "PAM does not run the password hook: \(Self.consequence)", remedy: Self.remedy)
    }
  }

  private static let consequence =
    "a change of the passcode while tap-device does not run counts as its removal, and wallets must be set up again"
  private static let remedy = """
    in /etc/pam.d/common-password, before the lines of its modules: \
    password optional pam_exec.so seteuid quiet /usr/local/bin/tap-device password-hook, and at the end of the file: \
    password optional pam_exec.so seteuid quiet /usr/local/bin/tap-device password-hook --after
    """
}
