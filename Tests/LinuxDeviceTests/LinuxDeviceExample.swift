import LinuxDevice
import Testing

/// The example of the article.
struct LinuxDeviceExample {
  @Test func `the service file of the passcode check permits no empty entry`() {
    print(PasscodeSettings.serviceFile)
    #expect(PasscodeSettings.serviceFile.contains("pam_unix.so"))
    #expect(!PasscodeSettings.serviceFile.contains("nullok"))
  }
}
