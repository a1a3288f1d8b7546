internal import Glibc

/// A property of the place where a program runs. It is reported; a program refuses it only when it is configured to.
public enum Surrounding: String, CaseIterable, Sendable {
  /// A virtual machine or an emulator.
  case emulator
  /// A container, which shares the kernel with other programs.
  case container
  /// The program runs as root.
  case root

  /// The text for any other value.
  public static var expectation: String {
    "one of \(allCases.map(\.rawValue).joined(separator: ", ")) is needed"
  }
}

/// Where this process runs, as /proc, /sys and /run describe it. A machine that hides a property is not found out.
public struct Surroundings: Sendable, Equatable {
  /// The product of the virtual machine or emulator, or a general word; nil on a machine of its own.
  public let emulator: String?
  /// The kind of the container, or a general word; nil outside of one.
  public let container: String?
  /// Whether the process has the user number 0.
  public let isRoot: Bool

  /// Reads the files. Blocks for less than 1 ms.
  public init() { self.init(under: "", user: geteuid()) }

  /// - Parameters:
  ///   - root: The folder that takes the place of the root folder; empty for the root folder.
  ///   - user: The user number.
  init(under root: String, user: UInt32) {
    emulator = Self.emulator(root)
    container = Self.container(root)
    isRoot = user == 0
  }

  /// The properties that were found, in the order of their declaration.
  public var present: [Surrounding] {
    Surrounding.allCases.filter { kind in
      switch kind {
      case .emulator: emulator != nil
      case .container: container != nil
      case .root: isRoot
      }
    }
  }

  /// A clause for a property, such as "runs in a container (docker)".
  public func clause(for kind: Surrounding) -> String {
    switch kind {
    case .emulator: "runs on a virtual machine (\(emulator ?? "none"))"
    case .container: "runs in a container (\(container ?? "none"))"
    case .root: "runs as root"
    }
  }

  private static let products = [
    "QEMU", "KVM", "VMware", "VirtualBox", "innotek", "Xen", "Bochs", "Parallels", "BHYVE", "Virtual Machine",
    "Amazon EC2", "Google Compute Engine", "OpenStack", "Hyper-V",
  ]

  private static func emulator(_ root: String) -> String? {
    for name in ["sys_vendor", "product_name", "board_vendor"] {
      guard let text = SmallFile.text("\(root)/sys/class/dmi/id/\(name)") else { continue }
      if let product = products.first(where: { text.contains($0) }) { return product }
    }
    if let type = word("\(root)/sys/hypervisor/type") { return type }
    if exists("\(root)/proc/device-tree/hypervisor") { return "a hypervisor" }
    // The processor sets the flag for guests (CPUID leaf 1, ECX bit 31).
    let flags = SmallFile.text("\(root)/proc/cpuinfo")?.split(separator: "\n").first { $0.hasPrefix("flags") }
    return flags?.split(separator: " ").contains("hypervisor") == true ? "a hypervisor" : nil
  }

  private static func container(_ root: String) -> String? {
    if let type = word("\(root)/run/systemd/container") { return type }
    if exists("\(root)/run/.containerenv") { return "podman" }
    if exists("\(root)/.dockerenv") { return "docker" }
    // Only root reads it.
    let environment = SmallFile.text("\(root)/proc/1/environ") ?? ""
    if let variable = environment.split(separator: "\0").first(where: { $0.hasPrefix("container=") }) {
      return String(variable.dropFirst("container=".count))
    }
    let groups = SmallFile.text("\(root)/proc/1/cgroup") ?? ""
    return ["docker", "kubepods", "libpod", "lxc", "containerd"].first { groups.contains($0) }
  }

  private static func word(_ path: String) -> String? {
    SmallFile.text(path)?.split(whereSeparator: \.isWhitespace).first.map(String.init)
  }

  // Landlock does not restrict this call. It reads the path.
  private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }
}
