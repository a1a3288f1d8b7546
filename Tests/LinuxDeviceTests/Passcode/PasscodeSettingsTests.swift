import LinuxDevice
import Testing

struct PasscodeSettingsTests {
  @Test func `the service file of the passcode check permits no empty entry`() {
    #expect(PasscodeSettings.serviceFile.contains("pam_unix.so"))
    #expect(!PasscodeSettings.serviceFile.contains("nullok"))
  }
}
