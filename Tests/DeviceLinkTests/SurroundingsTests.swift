import DeviceAuthentication
import Foundation
import TestSupport
import Testing

@testable import DeviceLink
@testable import ProcessGuard

@Suite("The surroundings of a process")
struct SurroundingsTests {
  private func surroundings(_ files: [String: String], user: UInt32 = 1_000) throws -> Surroundings {
    let scratch = try Scratch()
    for (path, text) in files {
      let folder = URL(filePath: scratch.path(path)).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      _ = try scratch.write(path, text)
    }
    return Surroundings(under: scratch.directory.path, user: user)
  }

  @Test func `a machine of its own and a user without privileges have no property`() throws {
    let files = [
      "proc/cpuinfo": "processor\t: 0\nflags\t\t: fpu vme sse2\n", "sys/class/dmi/id/sys_vendor": "LENOVO\n",
      "proc/1/environ": "HOME=/\0", "proc/1/cgroup": "0::/init.scope\n",
    ]
    #expect(try surroundings(files).present == [])
    #expect(try surroundings([:]).present == [])
  }

  @Test(arguments: [
    ("sys/class/dmi/id/sys_vendor", "QEMU\n", "QEMU"), ("sys/class/dmi/id/product_name", "VirtualBox\n", "VirtualBox"),
    ("sys/hypervisor/type", "xen\n", "xen"), ("proc/device-tree/hypervisor", "", "a hypervisor"),
    ("proc/cpuinfo", "flags\t\t: fpu hypervisor lahf_lm\n", "a hypervisor"),
  ])
  func `a virtual machine is found by its firmware, its kernel or its processor`(
    _ path: String, _ text: String, _ product: String
  ) throws {
    let found = try surroundings([path: text])
    #expect(found.present == [.emulator])
    #expect(found.clause(for: .emulator) == "runs on a virtual machine (\(product))")
  }

  @Test(arguments: [
    ("run/systemd/container", "systemd-nspawn\n", "systemd-nspawn"), ("run/.containerenv", "", "podman"),
    (".dockerenv", "", "docker"), ("proc/1/environ", "A=1\0container=lxc\0", "lxc"),
    ("proc/1/cgroup", "0::/kubepods/pod1\n", "kubepods"),
  ])
  func `a container is found by the file, the variable or the group of its manager`(
    _ path: String, _ text: String, _ manager: String
  ) throws {
    let found = try surroundings([path: text])
    #expect(found.present == [.container])
    #expect(found.clause(for: .container) == "runs in a container (\(manager))")
  }

  @Test func `root is found by the user number`() throws {
    #expect(try surroundings([:], user: 0).present == [.root])
    #expect(try surroundings([:], user: 0).clause(for: .root) == "runs as root")
  }

  @Test func `surroundings are a finding only when they are refused`() {
    let present = Surroundings().present
    func found(_ refused: Set<Surrounding>) -> [IntegrityFinding] {
      ProcessIntegrity(process: "/proc/self", refused: refused) { _ in .root }.findings()
    }
    #expect(found([]) == [])
    #expect(found(Set(Surrounding.allCases)).count == present.count)
    for kind in present { #expect(found([kind]) == [.refusedSurrounding(Surroundings().clause(for: kind))]) }
  }
}
